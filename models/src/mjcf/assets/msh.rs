//! MuJoCo's binary mesh format (MSH): four counts, then positions, normals, texture coordinates and triangles.

use insonate_meshes::{MAX_TRIANGLES, check_count};

use super::mesh_data::MeshData;

const HEADER: usize = 16;

pub(super) fn parse(bytes: &[u8]) -> Result<MeshData, String> {
    let header = bytes.get(..HEADER).ok_or("the file is too short for MSH")?;
    let mut counts = [0_usize; 4];
    for (count, word) in counts.iter_mut().zip(words(header)) {
        *count = usize::try_from(i32::from_le_bytes(word))
            .map_err(|_| "the MSH header holds a negative count")?;
    }
    let [positions, normals, texture_coordinates, triangles] = counts;
    let needed = [
        (positions, 3),
        (normals, 3),
        (texture_coordinates, 2),
        (triangles, 3),
    ]
    .iter()
    .try_fold(HEADER, |sum, &(count, width)| {
        sum.checked_add(count.checked_mul(width * 4)?)
    });
    if needed != Some(bytes.len()) {
        return Err(format!(
            "the MSH header announces {positions} vertices, {normals} normals, {texture_coordinates} texture coordinates and \
             {triangles} triangles, which a file of {} bytes does not hold",
            bytes.len()
        ));
    }
    check_count("triangles", triangles, MAX_TRIANGLES).map_err(|fault| fault.to_string())?;
    let mut rest = words(&bytes[HEADER..]);
    let mut reals =
        |count: usize| -> Vec<f32> { rest.by_ref().take(count).map(f32::from_le_bytes).collect() };
    let vertices = reals(3 * positions);
    let mut normals = reals(3 * normals);
    let _texture = reals(2 * texture_coordinates);
    let faces = rest.map(u32::from_le_bytes).collect();
    if normals.len() != vertices.len() {
        normals.clear();
    }
    Ok(MeshData {
        vertices,
        normals,
        faces,
    })
}

/// Little-endian 4-byte words.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks::<4>().0.iter().copied()
}

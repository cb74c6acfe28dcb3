//! STL: binary and text. Normals in the file are ignored, as by MuJoCo, and equal positions become one vertex.

use super::{Corners, MeshData, bits, check_triangles, words};

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<MeshData, String> {
    let declared = bytes
        .get(80..HEADER)
        .and_then(|count| count.try_into().ok())
        .map(|count| u32::from_le_bytes(count) as usize);
    // Binary files may begin with "solid" too, so the length decides.
    match declared {
        Some(count) if count.checked_mul(TRIANGLE) == Some(bytes.len() - HEADER) => {
            parse_binary(&bytes[HEADER..], count)
        }
        _ if bytes.trim_ascii_start().starts_with(b"solid") => parse_text(bytes),
        Some(count) => Err(format!(
            "the STL header announces {count} triangles, {} bytes, but {} follow",
            count.saturating_mul(TRIANGLE),
            bytes.len() - HEADER
        )),
        None => Err("the file is too short for STL".to_owned()),
    }
}

fn parse_binary(bytes: &[u8], count: usize) -> Result<MeshData, String> {
    check_triangles(count)?;
    let mut builder = Builder::new();
    for triangle in bytes.as_chunks::<TRIANGLE>().0 {
        let mut reals = words(&triangle[12..48]).map(f32::from_le_bytes);
        for _ in 0..3 {
            let position = std::array::from_fn(|_| reals.next().unwrap_or(f32::NAN));
            builder.corner(position);
        }
    }
    Ok(builder.mesh)
}

fn parse_text(bytes: &[u8]) -> Result<MeshData, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the STL file is neither binary nor text")?;
    let mut builder = Builder::new();
    let mut corners = 0_usize;
    let mut words = text.split_whitespace();
    while words.any(|word| word == "vertex") {
        corners += 1;
        check_triangles(corners / 3)?;
        let mut position = [0.0; 3];
        for real in &mut position {
            *real = words
                .next()
                .and_then(|word| word.parse().ok())
                .ok_or_else(|| format!("corner {corners} needs three numbers"))?;
        }
        builder.corner(position);
    }
    if corners == 0 || !corners.is_multiple_of(3) {
        return Err(format!(
            "the STL text has {corners} corners; triangles need three each"
        ));
    }
    Ok(builder.mesh)
}

struct Builder {
    corners: Corners<[u32; 3]>,
    mesh: MeshData,
}

impl Builder {
    fn new() -> Self {
        Self {
            corners: Corners::new(),
            mesh: MeshData::default(),
        }
    }

    fn corner(&mut self, position: [f32; 3]) {
        let (vertex, new) = self.corners.vertex(bits(position));
        if new {
            self.mesh.vertices.extend(position);
        }
        self.mesh.faces.push(vertex);
    }
}

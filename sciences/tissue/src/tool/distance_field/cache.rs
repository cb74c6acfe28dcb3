//! Cached fields on disk, each in a file named by its hash.
//!
//! Little-endian: magic, hash, nodes along x, y, z (u32), origin, cell width and reach (f64), distances (f32), SHA-256
//! of all previous bytes.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use nalgebra::Vector3;
use sha2::{Digest as _, Sha256};

use super::{DistanceField, RESOLUTIONS};
use crate::TissueError;

/// First bytes of a file. Increase the number when the same mesh gives different distances.
pub(super) const MAGIC: &[u8; 16] = b"insonate field 1";

/// Header bytes before the distances.
const HEAD: usize = 16 + 32 + 3 * 4 + 5 * 8;

/// Bytes after the distances.
const TAIL: usize = 32;

pub(super) fn path(folder: &Path, digest: &[u8; 32]) -> PathBuf {
    let mut name = String::with_capacity(70);
    for byte in digest {
        let _ = write!(name, "{byte:02x}"); // writing to a string cannot fail
    }
    folder.join(name + ".field")
}

/// Loads a field. `None` if the file is missing, damaged, or belongs to another mesh.
pub(super) fn load(path: &Path, digest: &[u8; 32]) -> Option<DistanceField> {
    let most = HEAD + 4 * RESOLUTIONS.end().pow(3) + TAIL;
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(most as u64).read_to_end(&mut bytes).ok()?;
    let (content, checksum) = bytes.split_at_checked(bytes.len().checked_sub(TAIL)?)?;
    if Sha256::digest(content).as_slice() != checksum {
        return None;
    }
    let (head, distances) = content.split_at_checked(HEAD)?;
    let rest = head.strip_prefix(MAGIC)?.strip_prefix(digest)?;
    let (counts, numbers) = rest.split_at_checked(12)?;
    let mut shape = [0; 3];
    for (n, count) in shape.iter_mut().zip(counts.chunks_exact(4)) {
        *n = u32::from_le_bytes(count.try_into().ok()?) as usize;
    }
    let mut head = [0.0; 5];
    for (number, bytes) in head.iter_mut().zip(numbers.chunks_exact(8)) {
        *number = f64::from_le_bytes(bytes.try_into().ok()?);
    }
    let fits = shape.iter().all(|n| (2..=*RESOLUTIONS.end()).contains(n));
    if !fits || distances.len() != 4 * shape.iter().product::<usize>() {
        return None;
    }
    let [x, y, z, cell_width, reach] = head;
    let distances = distances.chunks_exact(4);
    Some(DistanceField {
        digest: *digest,
        origin: Vector3::new(x, y, z),
        cell_width,
        shape,
        reach,
        distances: distances
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
    })
}

pub(super) fn store(field: &DistanceField, path: &Path) -> Result<(), TissueError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| TissueError::file(folder, error))?;
    }
    let mut bytes = Vec::with_capacity(HEAD + 4 * field.distances.len() + TAIL);
    bytes.extend(MAGIC);
    bytes.extend(field.digest);
    bytes.extend(field.shape.iter().flat_map(|&n| (n as u32).to_le_bytes()));
    let [x, y, z] = field.origin.into();
    let numbers = [x, y, z, field.cell_width, field.reach];
    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(field.distances.iter().flat_map(|x| x.to_le_bytes()));
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    Ok(insonate_files::write(path, &bytes)?)
}

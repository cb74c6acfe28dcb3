//! Mesh and image files.
//!
//! Counts in headers are never trusted: they must fit the file's real length before anything is allocated.

mod image;
mod msh;
mod obj;
mod stl;

use std::collections::HashMap;
use std::path::Path;

pub(super) use image::mean_colour;

/// Triangles in a mesh; MuJoCo refuses STL files with more than 200 000.
const MAX_TRIANGLES: usize = 2_000_000;

/// A triangle mesh in the file's own units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MeshData {
    /// Positions, flat `[n, 3]`.
    pub(super) vertices: Vec<f32>,
    /// Normals at the vertices, flat `[n, 3]`, or empty.
    pub(super) normals: Vec<f32>,
    /// Vertex indices, flat `[m, 3]`; empty for a cloud whose convex hull is meant.
    pub(super) faces: Vec<u32>,
}

/// Reads a mesh file; the format follows from its name.
pub(super) fn parse_mesh(path: &Path, bytes: &[u8]) -> Result<MeshData, String> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let mesh = match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
        "stl" => stl::parse(bytes),
        "obj" => obj::parse(bytes),
        "msh" => msh::parse(bytes),
        other => Err(format!(
            "meshes are read from .stl, .obj and .msh files, not from {other:?} files"
        )),
    }?;
    mesh.check()?;
    Ok(mesh)
}

impl MeshData {
    /// A mesh that MuJoCo can use.
    fn check(&self) -> Result<(), String> {
        let count = self.vertices.len() / 3;
        if count < 4 {
            return Err(format!(
                "the mesh has {count} different vertices; at least 4 are needed"
            ));
        }
        if let Some(bad) = self
            .vertices
            .iter()
            .chain(&self.normals)
            .find(|real| !real.is_finite())
        {
            return Err(format!("the mesh holds the number {bad}"));
        }
        if let Some(bad) = self.faces.iter().find(|&&index| index as usize >= count) {
            return Err(format!("a triangle uses vertex {bad} of {count}"));
        }
        Ok(())
    }
}

/// Gives equal corners one vertex, in the order of their first use.
struct Corners<K> {
    index_of: HashMap<K, u32>,
}

impl<K: std::hash::Hash + Eq> Corners<K> {
    fn new() -> Self {
        Self {
            index_of: HashMap::new(),
        }
    }

    /// The vertex of a corner, and whether it is new.
    fn vertex(&mut self, corner: K) -> (u32, bool) {
        let next = self.index_of.len() as u32; // at most 3 · MAX_TRIANGLES
        let index = *self.index_of.entry(corner).or_insert(next);
        (index, index == next)
    }
}

/// The bits of a position, the two zeros being one.
fn bits(position: [f32; 3]) -> [u32; 3] {
    position.map(|real| (real + 0.0).to_bits())
}

fn check_triangles(count: usize) -> Result<(), String> {
    if count > MAX_TRIANGLES {
        return Err(format!(
            "the mesh has {count} triangles; at most {MAX_TRIANGLES} are read"
        ));
    }
    Ok(())
}

/// Little-endian words.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks::<4>().0.iter().copied()
}

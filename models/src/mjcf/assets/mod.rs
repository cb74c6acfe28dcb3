//! Mesh and image files.
//!
//! Counts in headers are never trusted: they must fit the file's real length before anything is allocated.

mod image;
mod msh;

use std::path::Path;

use insonate_meshes::{MeshFormat, TriangleMesh};

pub(super) use image::mean_colour;

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
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    let mesh = match extension.as_str() {
        "stl" => TriangleMesh::parse(MeshFormat::Stl, bytes).map(|mesh| (mesh, Vec::new())),
        "obj" => TriangleMesh::parse_obj_with_normals(bytes),
        "msh" => return MeshData::checked(msh::parse(bytes)?),
        _ => {
            return Err(format!(
                "meshes are read from .stl, .obj and .msh files, not from {extension:?} files"
            ));
        }
    };
    let (mesh, normals) = mesh.map_err(|error| error.to_string())?;
    MeshData::checked(MeshData::of(&mesh, &normals))
}

impl MeshData {
    /// In single precision, as MuJoCo keeps meshes.
    fn of(mesh: &TriangleMesh, normals: &[[f64; 3]]) -> Self {
        let single = |reals: &[[f64; 3]]| reals.iter().flatten().map(|&real| real as f32).collect();
        Self {
            vertices: single(&mesh.positions),
            normals: single(normals),
            faces: mesh.triangles.iter().flatten().copied().collect(),
        }
    }

    /// Fails unless MuJoCo can use the mesh.
    fn checked(self) -> Result<Self, String> {
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
            return Err(format!("a triangle refers to vertex {bad} of {count}"));
        }
        Ok(self)
    }
}

/// Little-endian words.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks::<4>().0.iter().copied()
}

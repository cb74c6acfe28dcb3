//! Mesh and image files.
//!
//! Counts in headers are not trusted: they are compared with the length of the file before memory is allocated.

mod image;
mod mesh_data;
mod msh;

use std::path::Path;

use insonate_meshes::{MeshFormat, TriangleMesh};

pub(super) use image::mean_colour;
pub(super) use mesh_data::MeshData;

/// Reads a mesh file. The extension of its name determines the format.
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

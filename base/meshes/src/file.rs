//! Reading and writing of mesh files.

use std::fs::File;
use std::io::{Read as _, Write};
use std::path::Path;

use crate::git_lfs::git_lfs_pointer;
use crate::{MeshError, TriangleMesh, obj, ply, stl};

/// Maximum size of a file that is read [bytes].
pub const MAX_FILE_BYTES: u64 = 1 << 29;

/// Format of a mesh file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary of either byte order.
    Ply,
}

impl MeshFormat {
    /// The format for the extension of a file; `None` if the extension is unknown.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }
}

impl TriangleMesh {
    /// Parses the content of a file. Equal vertices of STL triangles are merged; normals and textures are ignored.
    ///
    /// # Errors
    /// [`MeshError::Content`] naming the line or element.
    pub fn parse(format: MeshFormat, bytes: &[u8]) -> Result<Self, MeshError> {
        let mesh = match format {
            MeshFormat::Obj => obj::parse(bytes).map(obj::Obj::into_mesh),
            MeshFormat::Stl => stl::parse(bytes),
            MeshFormat::Ply => ply::parse(bytes),
        };
        mesh.map_err(MeshError::Content)
    }

    /// Parses an OBJ file with its normals `[n_vertices, 3]`: a vertex is split if its corners have different normals.
    ///
    /// If the file has no faces, all positions are vertices. The normals are empty unless every corner has one.
    ///
    /// # Errors
    /// [`MeshError::Content`] naming the line.
    pub fn parse_obj_with_normals(bytes: &[u8]) -> Result<(Self, Vec<[f64; 3]>), MeshError> {
        let obj = obj::parse(bytes).map_err(MeshError::Content)?;
        Ok(obj.split_at_normals())
    }

    /// Reads an OBJ, STL or PLY file; STL triangles with equal vertices have no area and are dropped.
    ///
    /// # Errors
    /// [`MeshError::File`] naming the file and the line or element.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let refuse = |problem: String| MeshError::File {
            path: path.display().to_string(),
            problem,
        };
        let format = MeshFormat::of(path)
            .ok_or_else(|| refuse("the extension must be obj, stl or ply".to_owned()))?;
        let bytes = read_bytes(path).map_err(refuse)?;
        let mut mesh = Self::parse(format, &bytes).map_err(|error| refuse(error.to_string()))?;
        if format == MeshFormat::Stl {
            mesh.remove_collapsed();
        }
        Ok(mesh)
    }

    /// Reads the closed surface of a solid, and flips it if it faces inwards.
    ///
    /// # Errors
    /// [`MeshError::File`] as [`read`](Self::read), and for a mesh that is not closed.
    pub fn read_closed(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let closed = Self::read(path)?.into_closed();
        closed.map_err(|fault| MeshError::File {
            path: path.display().to_string(),
            problem: fault.to_string(),
        })
    }

    /// Writes OBJ. Normals have the shape `[n_vertices, 3]`, UVs `[n_vertices, 2]`.
    ///
    /// # Errors
    /// [`MeshError::Write`]; [`MeshError::Attribute`] if the number of normals or UVs differs from the number of vertices.
    pub fn write_obj(
        &self,
        out: impl Write,
        normals: Option<&[[f64; 3]]>,
        uvs: Option<&[[f64; 2]]>,
    ) -> Result<(), MeshError> {
        self.check_attributes(normals, uvs)?;
        obj::write(out, self, normals, uvs).map_err(|error| MeshError::Write(error.to_string()))
    }

    /// Writes binary little-endian PLY: positions as doubles, normals and UVs as floats.
    ///
    /// # Errors
    /// As [`write_obj`](Self::write_obj).
    pub fn write_ply(
        &self,
        out: impl Write,
        normals: Option<&[[f64; 3]]>,
        uvs: Option<&[[f64; 2]]>,
    ) -> Result<(), MeshError> {
        self.check_attributes(normals, uvs)?;
        ply::write(out, self, normals, uvs).map_err(|error| MeshError::Write(error.to_string()))
    }

    fn check_attributes(
        &self,
        normals: Option<&[[f64; 3]]>,
        uvs: Option<&[[f64; 2]]>,
    ) -> Result<(), MeshError> {
        let n_vertices = self.positions.len();
        for (attribute, count) in [
            ("normals", normals.map(<[_]>::len)),
            ("uvs", uvs.map(<[_]>::len)),
        ] {
            if let Some(count) = count.filter(|&count| count != n_vertices) {
                return Err(MeshError::Attribute {
                    attribute,
                    count,
                    n_vertices,
                });
            }
        }
        Ok(())
    }
}

/// The first bytes of a file.
pub(crate) fn read_start(path: &Path, most: usize) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let read = file.take(most as u64).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("longer than the limit of {MAX_FILE_BYTES} bytes"));
    }
    git_lfs_pointer(&bytes).map_or(Ok(bytes), Err)
}

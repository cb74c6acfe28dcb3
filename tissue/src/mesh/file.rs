//! Files of meshes: which format, how large, and how they are written.

use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Write};
use std::path::Path;

use super::{TriangleMesh, obj, ply, stl};
use crate::TissueError;

/// Longest file that is read [bytes].
pub const MAX_FILE_BYTES: u64 = 1 << 29;

impl TriangleMesh {
    /// Reads an OBJ, STL or PLY file, told apart by how its name ends. Vertices of STL triangles are joined where they are equal.
    ///
    /// # Errors
    /// [`TissueError::File`] naming the file and the line or byte.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TissueError> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|x| x.to_str()).unwrap_or("");
        let parse = match extension.to_ascii_lowercase().as_str() {
            "obj" => obj::parse,
            "stl" => stl::parse,
            "ply" => ply::parse,
            _ => {
                let problem = format!("the name ends in {extension:?}, not in obj, stl or ply");
                return Err(TissueError::file(path, problem));
            }
        };
        let bytes = read_bytes(path, MAX_FILE_BYTES)?;
        parse(&bytes).map_err(|problem| TissueError::file(path, problem))
    }

    /// Reads the surface of a solid, which is closed; it is turned over if it faces inwards.
    ///
    /// # Errors
    /// [`TissueError::File`] as [`read`](Self::read), and for a mesh that is not closed.
    pub fn read_closed(path: impl AsRef<Path>) -> Result<Self, TissueError> {
        let path = path.as_ref();
        let closed = Self::read(path)?.into_closed();
        closed.map_err(|fault| TissueError::file(path, fault))
    }

    /// Writes an OBJ file; normals have the shape `[n_vertices, 3]`, UVs `[n_vertices, 2]`.
    ///
    /// # Errors
    /// [`TissueError::File`]; [`TissueError::Setting`] if there is not one normal and UV for each vertex.
    pub fn write_obj(
        &self,
        path: impl AsRef<Path>,
        normals: Option<&[[f64; 3]]>,
        uvs: Option<&[[f64; 2]]>,
    ) -> Result<(), TissueError> {
        self.check_attributes(normals, uvs)?;
        write_whole(path.as_ref(), |out| obj::write(out, self, normals, uvs))
    }

    /// Writes a binary little-endian PLY file: positions as doubles, normals and UVs as floats.
    ///
    /// # Errors
    /// As [`write_obj`](Self::write_obj).
    pub fn write_ply(
        &self,
        path: impl AsRef<Path>,
        normals: Option<&[[f64; 3]]>,
        uvs: Option<&[[f64; 2]]>,
    ) -> Result<(), TissueError> {
        self.check_attributes(normals, uvs)?;
        write_whole(path.as_ref(), |out| ply::write(out, self, normals, uvs))
    }

    fn check_attributes(
        &self,
        normals: Option<&[[f64; 3]]>,
        uvs: Option<&[[f64; 2]]>,
    ) -> Result<(), TissueError> {
        let n = self.positions.len();
        for (field, count) in [
            ("normals.len()", normals.map(<[_]>::len)),
            ("uvs.len()", uvs.map(<[_]>::len)),
        ] {
            if let Some(count) = count.filter(|&count| count != n) {
                return Err(TissueError::setting(field, count, n.to_string()));
            }
        }
        Ok(())
    }
}

/// All of a file that is not longer than so many bytes.
pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, TissueError> {
    let failed = |error| TissueError::file(path, error);
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        let problem = format!("longer than the {most} bytes that are read");
        return Err(TissueError::file(path, problem));
    }
    Ok(bytes)
}

/// Writes a file beside its place first, so that none is left half written.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TissueError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    let written = File::create(&partial).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.into_inner()?.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&partial, path));
    replaced.map_err(|error| {
        // Nothing to do about a partial file that cannot be removed either.
        let _ = fs::remove_file(&partial);
        TissueError::file(path, error)
    })
}

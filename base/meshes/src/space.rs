//! Patient axes of the coordinates of a mesh file, as 3D Slicer writes them into file headers: `SPACE=LPS`.

use std::path::Path;

use crate::{MeshError, MeshFormat};

/// Number of bytes at the start of a file that are searched for the header.
const HEADER: usize = 4096;

/// Header of a binary STL file [bytes].
const STL_HEADER: usize = 80;

/// Directions in which the coordinates increase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshSpace {
    /// Right, anterior, superior.
    Ras,
    /// Left, posterior, superior.
    Lps,
}

impl MeshSpace {
    /// Reads the space from the header of a file: the first line of STL, or comments of OBJ and PLY.
    ///
    /// # Errors
    /// [`MeshError::File`] if the file cannot be read or names another space.
    pub fn read(path: impl AsRef<Path>) -> Result<Option<Self>, MeshError> {
        let path = path.as_ref();
        let refuse = |problem: String| MeshError::File {
            path: path.display().to_string(),
            problem,
        };
        let bytes = crate::file::read_start(path, HEADER).map_err(refuse)?;
        let format = MeshFormat::of(path);
        let found = format.map_or(Ok(None), |format| Self::of_header(format, &bytes));
        found.map_err(refuse)
    }

    fn of_header(format: MeshFormat, bytes: &[u8]) -> Result<Option<Self>, String> {
        let text = String::from_utf8_lossy(bytes);
        let mark = match format {
            MeshFormat::Stl => return Self::of_line(&first_of_stl(bytes)),
            MeshFormat::Obj => "#",
            MeshFormat::Ply => "comment",
        };
        let lines = text.lines().take_while(|line| line.trim() != "end_header");
        let comments = lines.filter(|line| line.trim_start().starts_with(mark));
        let mut found = comments.map(Self::of_line);
        found
            .find(|found| !matches!(found, Ok(None)))
            .unwrap_or(Ok(None))
    }

    fn of_line(line: &str) -> Result<Option<Self>, String> {
        let line = line.to_ascii_uppercase();
        let Some((_, rest)) = line.split_once("SPACE=") else {
            return Ok(None);
        };
        let name: String = rest
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .take(32)
            .collect();
        match name.as_str() {
            "RAS" => Ok(Some(Self::Ras)),
            "LPS" => Ok(Some(Self::Lps)),
            _ => Err(format!(
                "the header says SPACE={name}; it must say RAS or LPS"
            )),
        }
    }
}

fn first_of_stl(bytes: &[u8]) -> String {
    let is_text = bytes.trim_ascii_start().starts_with(b"solid");
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes);
    // A binary file may also begin with "solid"; its numbers follow the header.
    let most = if is_text { line.len() } else { STL_HEADER };
    String::from_utf8_lossy(&bytes[..most.min(bytes.len())]).into_owned()
}

//! Opens the file of labels that a header names; it must lie in the header's folder.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use insonate_meshes::git_lfs_pointer;

/// Longest part of a name in an error [characters].
const MOST_SHOWN: usize = 80;

/// Opens the file that a field of a header in a folder names; a header without a folder may not name a file.
pub(crate) fn open(
    folder: Option<&Path>,
    field: &str,
    name: &str,
) -> Result<BufReader<File>, String> {
    let shown: String = name.chars().take(MOST_SHOWN).collect();
    let refuse = |problem: &str| format!("{field} is {shown:?}: {problem}");
    let Some(folder) = folder else {
        return Err(refuse("the voxels are in another file"));
    };
    let is_list = name.split_whitespace().next() == Some("LIST") || name.contains('%');
    if is_list {
        return Err(refuse("a list of files; save the voxels in one file"));
    }
    let plain = name.strip_prefix("./").unwrap_or(name);
    if plain.is_empty() || plain == "." || plain == ".." || plain.contains(['/', '\\', '\0']) {
        return Err(refuse(
            "another file must be a plain name, in the folder of the header",
        ));
    }
    let within = |problem: std::io::Error| refuse(&problem.to_string());
    let folder = folder.canonicalize().map_err(within)?;
    let path = folder.join(plain).canonicalize().map_err(within)?;
    if path.parent() != Some(&folder) {
        return Err(refuse("a link that leads out of the folder of the header"));
    }
    if !path.is_file() {
        return Err(refuse("no file"));
    }
    let mut input = BufReader::new(File::open(&path).map_err(within)?);
    let start = input.fill_buf().map_err(within)?;
    match git_lfs_pointer(start) {
        Some(pointer) => Err(refuse(&pointer)),
        None => Ok(input),
    }
}

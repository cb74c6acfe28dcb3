//! Detection of files that Git LFS has not fetched.

/// First line of a pointer file (Git LFS specification, version 1).
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// Message for a file that is a Git LFS pointer: states this, the size of the real file, and the remedy. `None` for any other
/// content.
pub fn git_lfs_pointer(bytes: &[u8]) -> Option<String> {
    // A pointer is shorter than 1024 bytes.
    let text = std::str::from_utf8(&bytes[..bytes.len().min(1024)]).ok()?;
    if !bytes.starts_with(POINTER) {
        return None;
    }
    let size = text.lines().find_map(|line| line.strip_prefix("size "));
    let size = size.map_or(String::new(), |size| format!(" of {} bytes", size.trim()));
    Some(format!(
        "it is a Git LFS pointer, not the file itself{size}: run git lfs pull in its repository"
    ))
}

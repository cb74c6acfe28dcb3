//! Loads the text of a file, within limits.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use insonate_meshes::git_lfs_pointer;

use super::limits::Budget;
use crate::mjcf::MjcfError;

/// A text and its name in messages.
pub(super) struct Source {
    pub(super) label: String,
    pub(super) text: String,
}

/// Loads the text of a file.
pub(super) fn load(path: &Path, budget: &mut Budget) -> Result<Source, MjcfError> {
    let bytes = load_bytes(path, budget.bytes())?;
    from_bytes(bytes, &path.display().to_string(), budget)
}

/// Loads the content of a regular file of at most `limit` bytes.
pub(in crate::mjcf) fn load_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, MjcfError> {
    let io_error = |source| MjcfError::Io {
        path: path.to_owned(),
        source,
    };
    let too_large = |size: u64| MjcfError::TooLarge {
        path: path.display().to_string(),
        what: format!("the file, {size} bytes,"),
        limit,
    };
    let metadata = fs::metadata(path).map_err(io_error)?;
    if !metadata.is_file() {
        // Reading a pipe may block forever, and a device may be endless.
        return Err(io_error(io::Error::other("it is not a regular file")));
    }
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(io_error)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    if let Some(pointer) = git_lfs_pointer(&bytes) {
        return Err(io_error(io::Error::other(pointer)));
    }
    Ok(bytes)
}

/// Converts bytes to a text. They must be UTF-8.
pub(super) fn from_bytes(
    bytes: Vec<u8>,
    label: &str,
    budget: &mut Budget,
) -> Result<Source, MjcfError> {
    budget.take_bytes(bytes.len() as u64, label)?;
    let refuse = |line: usize, problem: &str| {
        Err(MjcfError::Syntax {
            path: label.to_owned(),
            line,
            problem: problem.to_owned(),
        })
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return refuse(1, "the text is UTF-16; save it as UTF-8");
    }
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return refuse(line_at(&bytes, offset), "the text holds a NUL byte");
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let line = line_at(error.as_bytes(), offset);
            return refuse(line, "the text is not UTF-8");
        }
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(Source {
        label: label.to_owned(),
        text,
    })
}

/// Line number, from 1, of a byte offset.
fn line_at(bytes: &[u8], offset: usize) -> usize {
    bytes[..offset].split(|&byte| byte == b'\n').count()
}

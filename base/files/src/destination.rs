//! Destination of a path: a regular file, standard output, or a device or pipe.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Names of standard output. Its open handle is used: reopening a file to which it is redirected would overwrite the file's start.
const STANDARD_OUTPUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Maximum number of symbolic links in a chain, as on Linux.
const MAX_LINKS: usize = 40;

/// Destination of an output.
#[derive(Debug)]
pub(crate) enum Destination {
    StandardOutput,
    /// A regular file with a path free of links, and the metadata of the existing file, if any.
    File(PathBuf, Option<Metadata>),
    /// A device or pipe.
    Stream(PathBuf),
}

impl Destination {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        if STANDARD_OUTPUT.iter().any(|name| path == Path::new(name)) {
            return Ok(Self::StandardOutput);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_file() => Ok(Self::File(fs::canonicalize(path)?, Some(found))),
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(_) => Ok(Self::Stream(path.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self::File(follow(path)?, None))
            }
            Err(error) => Err(error),
        }
    }
}

/// Follows links to the path of a file that does not exist yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// The folder that contains a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let parent = path.parent();
    parent
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

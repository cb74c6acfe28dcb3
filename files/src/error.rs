//! Errors of output files and folders.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file cannot be written; what was there before is kept.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file, as it was named.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder cannot be created or written.
    #[error("cannot write into the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another command is writing into the folder.
    #[error("another command{} is writing into the folder {}: wait for it, or choose another folder", process.map(|id| format!(" (process {id})")).unwrap_or_default(), path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
        /// The other command's process, where it is known.
        process: Option<u32>,
    },
}

impl FileError {
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Write {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn folder(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Folder {
            path: path.to_owned(),
            source,
        }
    }
}

//! Errors of output files and folders.

use std::io;
use std::path::{Path, PathBuf};

/// Error of an output file or folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file cannot be written; an existing file is kept.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Path of the file, as the caller gave it.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A folder cannot be created or written.
    #[error("cannot write into the folder {}: {source}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Another command is writing into the folder.
    #[error("another command{} is writing into the folder {}: wait for it, or choose another folder", process.map(|id| format!(" (process {id})")).unwrap_or_default(), path.display())]
    Busy {
        /// Path of the folder.
        path: PathBuf,
        /// Process id of the other command, if it is known.
        process: Option<u32>,
    },
    /// The folder holds files of another command.
    #[error("the folder {} holds {n_files} files that insonate {} wrote: choose another folder", path.display(), word(command))]
    Occupied {
        /// Path of the folder.
        path: PathBuf,
        /// Name of the other command, from its list of files.
        command: String,
        /// Number of its files in the folder.
        n_files: usize,
    },
}

/// A command's name from a list that is not trusted.
fn word(command: &str) -> &str {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '-' || letter == ' ';
    if command.len() <= 40 && command.chars().all(is_plain) {
        command
    } else {
        "earlier"
    }
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

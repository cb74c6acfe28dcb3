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
    /// The folder holds what another command wrote.
    #[error("the folder {} holds {n_files} files that insonate {} wrote: choose another folder", path.display(), word(command))]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// The other command, as its list of files says.
        command: String,
        /// How many of its files are there.
        n_files: usize,
    },
}

/// A command's name out of a list that anybody may have written.
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

//! Append-only files.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::FileError;

/// A file to which rows or records are appended. Each is handed to the operating system when [`append`](Self::append) returns.
#[derive(Debug)]
pub struct AppendFile {
    path: PathBuf,
    file: File,
}

impl AppendFile {
    /// Opens a file, or creates an empty one.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::with(OpenOptions::new().append(true).create(true), path.as_ref())
    }

    /// Creates a file that does not exist yet.
    ///
    /// # Errors
    /// [`FileError::Write`]; its source is `AlreadyExists` if the file exists.
    pub fn create_new(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::with(
            OpenOptions::new().append(true).create_new(true),
            path.as_ref(),
        )
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends to the file.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn append(&mut self, content: &[u8]) -> Result<(), FileError> {
        self.file
            .write_all(content)
            .map_err(FileError::write(&self.path))
    }

    /// Waits until all data is on the disk.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::write(&self.path))
    }

    fn with(options: &OpenOptions, path: &Path) -> Result<Self, FileError> {
        Ok(Self {
            file: options.open(path).map_err(FileError::write(path))?,
            path: path.to_owned(),
        })
    }
}

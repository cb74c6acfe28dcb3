//! Folders with one writer at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::parts::{UNDER_WAY, complete};
use crate::writer::PARTIAL;
use crate::{FileError, write};

/// The file whose lock is the right to write into its folder.
const LOCK: &str = ".insonate.lock";

/// A folder that a command fills; no other command writes into it meanwhile.
///
/// The lock ends with the process, however that ends.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// Whether the folder was made for this command.
    is_new: bool,
    _lock: File,
}

impl OutputFolder {
    /// Makes the folder, or takes one that is there, and makes sure that it can be written.
    ///
    /// # Errors
    /// [`FileError::Busy`] while another command writes into it; [`FileError::Folder`] when it cannot be made or written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let is_new = !path.exists();
        if !is_new && !path.is_dir() {
            return Err(FileError::folder(path)(ErrorKind::NotADirectory.into()));
        }
        fs::create_dir_all(path).map_err(FileError::folder(path))?;
        let folder = Self {
            _lock: lock(path)?,
            path: path.to_owned(),
            is_new,
        };
        // What a killed command left half written or half moved; nobody else writes here now.
        let mended = folder.remove_partial().and_then(|()| complete(path));
        mended.map_err(FileError::folder(path))?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one file in it.
    ///
    /// # Errors
    /// As [`write`].
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), FileError> {
        write(self.path.join(name), content)
    }

    fn remove_partial(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == UNDER_WAY {
                fs::remove_dir_all(entry.path())?;
            } else if name.starts_with(PARTIAL.0) && name.ends_with(PARTIAL.1) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // The lock is still held: whoever opened this file meanwhile finds that it has lost its name.
        let _ = fs::remove_file(self.path.join(LOCK));
        if self.is_new {
            // Only if nothing came of it: folders with files are not removed.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Takes the lock of a folder.
fn lock(folder: &Path) -> Result<File, FileError> {
    let path = folder.join(LOCK);
    loop {
        let mut options = OpenOptions::new();
        let opened = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = opened.map_err(FileError::folder(folder))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let process = fs::read_to_string(&path).unwrap_or_default();
                return Err(FileError::Busy {
                    path: folder.to_owned(),
                    process: process.trim().parse().ok(),
                });
            }
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(FileError::folder(folder)(error)),
        }
        // Whoever held it may have removed the file between our opening and locking it.
        if is_at(&file, &path) {
            let id = std::process::id();
            // Only for the message to others.
            let _ = file.set_len(0).and_then(|()| writeln!(file, "{id}"));
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let found = file
        .metadata()
        .and_then(|ours| Ok((ours, fs::metadata(path)?)));
    found.is_ok_and(|(ours, there)| (ours.dev(), ours.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

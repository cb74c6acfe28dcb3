//! Output folders: one writer at a time, and the files of one run.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::manifest::Manifest;
use crate::parts::{UNDER_WAY, complete};
use crate::writer::PARTIAL;
use crate::{FileError, write};

/// Folders that this process writes, each with whether this process created it.
static FILLED: Mutex<Vec<(PathBuf, bool)>> = Mutex::new(Vec::new());

/// Removes the locks and partial files of all folders that this process writes. Call it before the process exits without returning.
///
/// Writes that other threads make meanwhile may fail or leave partial files, which the next command on the folder removes.
pub fn abandon() {
    let filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
    for (path, is_new) in filled.iter() {
        let _ = remove_partial(path);
        let _ = fs::remove_file(path.join(LOCK));
        if *is_new {
            // This succeeds only if the folder is empty.
            let _ = fs::remove_dir(path);
        }
    }
}

/// Name of the lock file. The process that holds its lock may write into the folder.
const LOCK: &str = ".insonate.lock";

/// The command that writes a folder, and its treatment of earlier files.
///
/// Files that no command of insonate wrote are always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Name of the command, such as `scan`.
    pub command: &'a str,
    /// Remove files that another command wrote. If false, a folder with such files is refused.
    pub overwrite: bool,
    /// Keep files that the same command wrote before, to resume its run. If false, such files are removed.
    pub resume: bool,
}

impl<'a> Claim<'a> {
    /// Replaces files of the same command, and refuses a folder with files of another command.
    pub const fn by(command: &'a str) -> Self {
        Self {
            command,
            overwrite: false,
            resume: false,
        }
    }

    /// Keeps files of the same command, to resume its run.
    pub const fn resuming(command: &'a str) -> Self {
        Self {
            command,
            overwrite: false,
            resume: true,
        }
    }

    /// Sets whether files of another command are removed.
    #[must_use]
    pub const fn overwriting(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }
}

/// A folder that a command writes. No other command can write into it meanwhile.
///
/// The lock ends with the process, even if the process is killed.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    command: String,
    /// Names that are already in the list of files.
    listed: Mutex<BTreeSet<String>>,
    /// Whether this command created the folder.
    is_new: bool,
    _lock: File,
}

impl OutputFolder {
    /// Creates or opens the folder, and makes sure that it is writable and holds no files of another run.
    ///
    /// # Errors
    /// [`FileError::Busy`] if another command is writing into it; [`FileError::Occupied`] if it holds files of another command;
    /// [`FileError::Folder`] if it cannot be created or written.
    pub fn create(path: impl AsRef<Path>, claim: Claim<'_>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let is_new = !path.exists();
        if !is_new && !path.is_dir() {
            return Err(FileError::folder(path)(ErrorKind::NotADirectory.into()));
        }
        fs::create_dir_all(path).map_err(FileError::folder(path))?;
        let folder = Self {
            _lock: lock(path)?,
            path: path.to_owned(),
            command: claim.command.to_owned(),
            listed: Mutex::default(),
            is_new,
        };
        // Remove partial files and complete moves of a killed command: we hold the lock, so no other command is writing.
        let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
        filled.push((path.to_owned(), is_new));
        drop(filled);
        let mended = remove_partial(path).and_then(|()| complete(path));
        mended.map_err(FileError::folder(path))?;
        folder.make_room(claim)?;
        Ok(folder)
    }

    /// Refuses, removes or keeps the files of an earlier command.
    fn make_room(&self, claim: Claim<'_>) -> Result<(), FileError> {
        let failed = FileError::folder(&self.path);
        let Some(earlier) = Manifest::read(&self.path).map_err(&failed)? else {
            return Ok(());
        };
        let is_ours = earlier.command == claim.command;
        if is_ours && claim.resume {
            let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            listed.extend(earlier.entries);
            return Ok(());
        }
        let n_files = earlier.count(&self.path);
        if !is_ours && !claim.overwrite && n_files > 0 {
            return Err(FileError::Occupied {
                path: self.path.clone(),
                command: earlier.command,
                n_files,
            });
        }
        earlier.clear(&self.path).map_err(failed)
    }

    /// Whether a folder has a list of files that commands of insonate wrote into it.
    pub fn has_files(path: impl AsRef<Path>) -> bool {
        Manifest::read(path.as_ref()).is_ok_and(|list| list.is_some())
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into the folder.
    ///
    /// # Errors
    /// The same as [`write`].
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), FileError> {
        write(self.file(name)?, content)
    }

    /// Path for a file of this name. The name is added to the list of files, so that later commands know that insonate wrote it.
    ///
    /// # Errors
    /// [`FileError::Folder`].
    pub fn file(&self, name: &str) -> Result<PathBuf, FileError> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if !listed.contains(name) {
            let added = Manifest::add(&self.path, &self.command, name);
            added.map_err(FileError::folder(&self.path))?;
            listed.insert(name.to_owned());
        }
        Ok(self.path.join(name))
    }

    /// Path for a subfolder that this or another command of insonate writes through its own [`OutputFolder`]. It is cleared together
    /// with this folder.
    ///
    /// # Errors
    /// [`FileError::Folder`].
    pub fn folder(&self, name: &str) -> Result<PathBuf, FileError> {
        self.file(&format!("{name}/"))?;
        Ok(self.path.join(name))
    }
}

/// Removes partial files.
fn remove_partial(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
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

impl Drop for OutputFolder {
    fn drop(&mut self) {
        let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
        filled.retain(|(path, _)| *path != self.path);
        drop(filled);
        // The lock is still held: a process that opened the file meanwhile will notice that the path no longer leads to it.
        let _ = fs::remove_file(self.path.join(LOCK));
        if self.is_new {
            // This succeeds only if the folder is empty.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Acquires the lock of a folder.
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
            // Some network file systems do not support locks.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(FileError::folder(folder)(error)),
        }
        // The previous holder may have removed the file after we opened it and before we locked it.
        if is_at(&file, &path) {
            let id = std::process::id();
            // The process id is only for the error message of other commands.
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

//! Folders with one writer at a time, and the files of one run.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::manifest::Manifest;
use crate::parts::{UNDER_WAY, complete};
use crate::writer::PARTIAL;
use crate::{FileError, write};

/// Folders that this process fills, and whether it made them.
static FILLED: Mutex<Vec<(PathBuf, bool)>> = Mutex::new(Vec::new());

/// Takes the locks and half files of all folders that this process fills out of the way, before it ends without returning.
///
/// What is written meanwhile may fail, or be left half for the next command on the folder, which removes it.
pub fn abandon() {
    let filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
    for (path, is_new) in filled.iter() {
        let _ = remove_partial(path);
        let _ = fs::remove_file(path.join(LOCK));
        if *is_new {
            // Only where nothing is in it.
            let _ = fs::remove_dir(path);
        }
    }
}

/// The file whose lock is the right to write into its folder.
const LOCK: &str = ".insonate.lock";

/// Who fills a folder, and what becomes of files that are there from before.
///
/// Files that no command of insonate wrote stay where they are, in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The command, such as `scan`.
    pub command: &'a str,
    /// Remove what another command wrote; without it, a folder with such files is refused.
    pub overwrite: bool,
    /// Keep what the same command wrote before, as one does that goes on with it; without it, such files are removed.
    pub resume: bool,
}

impl<'a> Claim<'a> {
    /// Replaces what the same command wrote, and nothing else.
    pub const fn by(command: &'a str) -> Self {
        Self {
            command,
            overwrite: false,
            resume: false,
        }
    }

    /// Goes on with what the same command wrote.
    pub const fn resuming(command: &'a str) -> Self {
        Self {
            command,
            overwrite: false,
            resume: true,
        }
    }

    /// Removes what another command wrote, or not.
    #[must_use]
    pub const fn overwriting(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }
}

/// A folder that a command fills; no other command writes into it meanwhile.
///
/// The lock ends with the process, however that ends.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    command: String,
    /// Names that are in the list.
    listed: Mutex<BTreeSet<String>>,
    /// Whether the folder was made for this command.
    is_new: bool,
    _lock: File,
}

impl OutputFolder {
    /// Makes the folder, or takes one that is there, and makes sure that it can be written and holds the files of no other run.
    ///
    /// # Errors
    /// [`FileError::Busy`] while another command writes into it; [`FileError::Occupied`] where it holds what another command wrote;
    /// [`FileError::Folder`] when it cannot be made or written.
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
        // What a killed command left half written or half moved; nobody else writes here now.
        let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
        filled.push((path.to_owned(), is_new));
        drop(filled);
        let mended = remove_partial(path).and_then(|()| complete(path));
        mended.map_err(FileError::folder(path))?;
        folder.make_room(claim)?;
        Ok(folder)
    }

    /// Refuses, removes or keeps what an earlier command wrote.
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one file in it.
    ///
    /// # Errors
    /// As [`write`].
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), FileError> {
        write(self.file(name)?, content)
    }

    /// Where to write a file of this name; the next command knows then that insonate wrote it.
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

    /// Where a folder within this one is, which this or another command of insonate fills by an [`OutputFolder`] of its own: cleared with
    /// this one.
    ///
    /// # Errors
    /// [`FileError::Folder`].
    pub fn folder(&self, name: &str) -> Result<PathBuf, FileError> {
        self.file(&format!("{name}/"))?;
        Ok(self.path.join(name))
    }
}

/// Removes half files.
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

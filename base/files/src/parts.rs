//! Several files and folders that appear together in an output folder.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::{FileError, OutputFolder};

/// Folder into which parts are written. Content that a later command finds here is from an interrupted command.
pub(crate) const UNDER_WAY: &str = ".insonate-parts.partial";

/// Folder with complete parts that are being moved. Content that a later command finds here must still be moved.
const WHOLE: &str = ".insonate-parts.whole";

/// Parts of an output folder under construction. Without [`commit`](Self::commit) the output folder does not change.
#[derive(Debug)]
pub struct FolderParts {
    target: PathBuf,
    path: PathBuf,
}

impl FolderParts {
    /// Begins parts of a folder. Only one set of parts can be open at a time.
    ///
    /// # Errors
    /// [`FileError::Folder`].
    pub fn begin(folder: &OutputFolder) -> Result<Self, FileError> {
        let target = folder.path().to_owned();
        let path = target.join(UNDER_WAY);
        fs::create_dir(&path).map_err(FileError::folder(&target))?;
        Ok(Self { target, path })
    }

    /// Path of the folder to write the parts into.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves the parts into the output folder, and replaces entries of the same names.
    ///
    /// If the command is interrupted during this call, the next command that writes into the folder completes it.
    ///
    /// # Errors
    /// [`FileError::Folder`].
    pub fn commit(self, folder: &OutputFolder) -> Result<(), FileError> {
        let failed = FileError::folder(&self.target);
        list(&self.path, "", folder).map_err(&failed)?;
        let moved = fs::rename(&self.path, self.target.join(WHOLE));
        moved.and_then(|()| complete(&self.target)).map_err(failed)
    }
}

/// Adds all files below a folder to the list of an output folder.
fn list(parts: &Path, within: &str, folder: &OutputFolder) -> io::Result<()> {
    for entry in fs::read_dir(parts)? {
        let entry = entry?;
        let name = format!("{within}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), folder)?;
        } else {
            folder.file(&name).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

impl Drop for FolderParts {
    fn drop(&mut self) {
        // After a commit the folder no longer exists.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Moves complete parts to their places; an interrupted command may have moved some of them already.
pub(crate) fn complete(target: &Path) -> io::Result<()> {
    let whole = target.join(WHOLE);
    let entries = match fs::read_dir(&whole) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?.map(|entry| Ok(entry?.file_name())),
    };
    let mut names: Vec<OsString> = entries.collect::<io::Result<_>>()?;
    // All old parts are removed before the first move, so old and new parts are never mixed.
    names.sort();
    for name in names.iter().rev() {
        let old = target.join(name);
        match fs::symlink_metadata(&old) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&old)?,
            Ok(_) => fs::remove_file(&old)?,
            Err(_) => {}
        }
    }
    for name in &names {
        fs::rename(whole.join(name), target.join(name))?;
    }
    fs::remove_dir(&whole)
}

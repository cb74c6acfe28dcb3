//! Several files and folders that appear in a folder together.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::{FileError, OutputFolder};

/// Where parts are written; what is found here later is of a command that was cut off.
pub(crate) const UNDER_WAY: &str = ".insonate-parts.partial";

/// Parts that are whole and on their way; what is found here later still has to be moved.
const WHOLE: &str = ".insonate-parts.whole";

/// Parts of an output folder under way; without [`commit`](Self::commit) the output folder stays as it was.
#[derive(Debug)]
pub struct FolderParts {
    target: PathBuf,
    path: PathBuf,
}

impl FolderParts {
    /// Begins parts of a folder, one command's at a time.
    ///
    /// # Errors
    /// [`FileError::Folder`].
    pub fn begin(folder: &OutputFolder) -> Result<Self, FileError> {
        let target = folder.path().to_owned();
        let path = target.join(UNDER_WAY);
        fs::create_dir(&path).map_err(FileError::folder(&target))?;
        Ok(Self { target, path })
    }

    /// Where to write them.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts them into the folder, in the place of what has their names.
    ///
    /// A command that is cut off from here on is completed by the next one that writes into the folder.
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

/// Puts all files below a folder into the list of an output folder.
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
        // After a commit there is nothing to remove.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Moves whole parts to their places, which a command that was cut off may have begun.
pub(crate) fn complete(target: &Path) -> io::Result<()> {
    let whole = target.join(WHOLE);
    let entries = match fs::read_dir(&whole) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?.map(|entry| Ok(entry?.file_name())),
    };
    let mut names: Vec<OsString> = entries.collect::<io::Result<_>>()?;
    // Old and new parts are never there together.
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

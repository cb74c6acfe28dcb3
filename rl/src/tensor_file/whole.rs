//! Files that are there whole or not at all, whenever the program is killed and the disk runs full.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::RlError;

/// Writes a file beside `path`, makes sure that it is on the disk, and gives it the name `path` in one step.
/// Until then what was at `path` is untouched.
///
/// A file that a killed program left half written is called `….partial` and overwritten by the next try.
///
/// # Errors
/// [`RlError::Io`], naming `path`.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), RlError> {
    let partial = partial_path(path);
    let written = File::create(&partial).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&partial, path));
    if replaced.is_err() {
        // What cannot be removed either is overwritten next time.
        let _ = fs::remove_file(&partial);
    }
    replaced.map_err(RlError::io(
        path,
        "cannot be written, what was there before is kept",
    ))?;
    sync_folder(path);
    Ok(())
}

/// Makes the new name survive a loss of power; where folders cannot be synced the file is whole all the same.
fn sync_folder(path: &Path) {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn partial_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".partial");
    PathBuf::from(name)
}

//! Files that are written atomically.

use std::cell::Cell;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::FileError;
use crate::destination::{Destination, folder_of};

/// Prefix and suffix of the names of temporary files.
pub(crate) const PARTIAL: (&str, &str) = (".insonate-", ".partial");

/// Writes a file.
///
/// # Errors
/// [`FileError::Write`], naming the file; an existing regular file is then unchanged.
pub fn write(path: impl AsRef<Path>, content: &[u8]) -> Result<(), FileError> {
    write_with(path, |out| out.write_all(content))
}

/// Writes a file with the output of a function, such as an encoder.
///
/// # Errors
/// The same as [`write`], and if the function fails.
pub fn write_with(
    path: impl AsRef<Path>,
    encode: impl FnOnce(&mut FileWriter) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut writer = FileWriter::create(path)?;
    encode(&mut writer).map_err(FileError::write(&writer.path))?;
    writer.commit()
}

/// A file that is being written. Without [`commit`](Self::commit) a regular file does not change.
#[derive(Debug)]
pub struct FileWriter {
    /// Path as the caller gave it.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    StandardOutput,
    Stream(BufWriter<File>),
    Temporary {
        file: BufWriter<File>,
        path: TempPath,
        target: PathBuf,
    },
}

impl FileWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// [`FileError::Write`] if the folder does not exist or the file cannot be written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let open = || match Destination::of(path)? {
            Destination::StandardOutput => Ok(Sink::StandardOutput),
            Destination::Stream(stream) => {
                let file = OpenOptions::new().write(true).open(stream)?;
                Ok(Sink::Stream(BufWriter::new(file)))
            }
            Destination::File(target, existing) => temporary(target, existing.as_ref()),
        };
        Ok(Self {
            sink: open().map_err(FileError::write(path))?,
            path: path.to_owned(),
        })
    }

    /// Publishes the file under its name after its content has reached the disk.
    ///
    /// # Errors
    /// [`FileError::Write`], also for buffered data that does not reach a device.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.flush().map_err(FileError::write(&self.path))?;
        let Sink::Temporary { file, path, target } = self.sink else {
            return Ok(());
        };
        let synced = file.get_ref().sync_all();
        synced
            .and_then(|()| path.persist(&target).map_err(|failure| failure.error))
            .map_err(FileError::write(&self.path))?;
        // The new name survives a power failure. If the folder cannot be synced, the file is complete nevertheless.
        if let Ok(folder) = File::open(folder_of(&target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for FileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::StandardOutput => unless_closed(io::stdout().write(bytes), bytes.len()),
            Sink::Stream(file) | Sink::Temporary { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::StandardOutput => unless_closed(io::stdout().flush(), ()),
            Sink::Stream(file) | Sink::Temporary { file, .. } => file.flush(),
        }
    }
}

/// Ignores a broken pipe: it is not an error if a reader of standard output, such as `head`, stops early.
fn unless_closed<T>(result: io::Result<T>, as_if: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(as_if),
        other => other,
    }
}

/// A temporary file next to the target, with the permissions that the target will have.
fn temporary(target: PathBuf, existing: Option<&Metadata>) -> io::Result<Sink> {
    if existing.is_some() {
        // A file without write permission must not be replaced.
        OpenOptions::new().write(true).open(&target)?;
    }
    // Keep only the system's error: the name of the temporary file is of no use to the user.
    let code = Cell::new(None);
    let open = |path: &Path| {
        let opened = OpenOptions::new().write(true).create_new(true).open(path);
        opened.inspect_err(|error| code.set(error.raw_os_error()))
    };
    let mut builder = tempfile::Builder::new();
    let made = builder
        .prefix(PARTIAL.0)
        .suffix(PARTIAL.1)
        .make_in(folder_of(&target), open);
    let made = made.map_err(|error| code.get().map_or(error, io::Error::from_raw_os_error))?;
    let (file, path) = made.into_parts();
    if let Some(existing) = existing {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            // Only root may change the owner; other users own the new file themselves.
            let _ = fchown(&file, Some(existing.uid()), Some(existing.gid()));
        }
        file.set_permissions(existing.permissions())?;
    }
    Ok(Sink::Temporary {
        file: BufWriter::new(file),
        path,
        target,
    })
}

//! TensorBoard's event files.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use insonate_files::{AppendFile, FileError};

use super::record::{What, record};
use crate::RlError;

/// An event file; each training session writes one of its own into the folder.
#[derive(Debug)]
pub struct EventLog {
    file: AppendFile,
    /// Seconds since 1970.
    clock: fn() -> f64,
}

impl EventLog {
    /// Begins a file in `folder`. Where training goes on from `global_step` > 0, TensorBoard is told to forget what earlier files say beyond.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn open(folder: &Path, global_step: u64) -> Result<Self, RlError> {
        Self::open_with_clock(folder, global_step, wall_time)
    }

    /// As [`EventLog::open`], with a clock that gives seconds since 1970.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn open_with_clock(
        folder: &Path,
        global_step: u64,
        clock: fn() -> f64,
    ) -> Result<Self, RlError> {
        let file = create(folder, clock() as u64)?;
        let mut log = Self { file, clock };
        log.put(0, What::FileVersion)?;
        if global_step > 0 {
            log.put(global_step + 1, What::SessionStart)?;
        }
        Ok(log)
    }

    /// Writes figures of a step; NaN is left out.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn write(&mut self, global_step: u64, scalars: &[(String, f64)]) -> Result<(), RlError> {
        self.put(global_step, What::Scalars(scalars))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn put(&mut self, step: u64, what: What<'_>) -> Result<(), RlError> {
        Ok(self.file.append(&record((self.clock)(), step, what))?)
    }
}

/// A file that did not exist; TensorBoard reads those of a folder in order of their names.
fn create(folder: &Path, seconds: u64) -> Result<AppendFile, FileError> {
    let mut index = 0;
    loop {
        let name = format!("events.out.tfevents.{seconds:010}.insonate.{index:03}");
        match AppendFile::create_new(folder.join(name)) {
            Err(FileError::Write { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                index += 1;
            }
            other => return other,
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "TensorBoard shows when a figure was written; nothing is computed from it"
)]
fn wall_time() -> f64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    since_1970.map_or(0.0, |since| since.as_secs_f64())
}

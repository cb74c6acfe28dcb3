//! TensorBoard's event files.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use insonate_files::{AppendFile, FileError};

use super::record::{Event, record};
use crate::RlError;

/// An event file; each session of a training writes its own.
#[derive(Debug)]
pub struct EventLog {
    file: AppendFile,
    /// Seconds since 1970.
    clock: fn() -> f64,
}

impl EventLog {
    /// Creates a file in `folder`. After a resume at `global_step` > 0, it tells TensorBoard to discard later events of earlier files.
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
        log.put(0, Event::FileVersion)?;
        if global_step > 0 {
            log.put(global_step + 1, Event::SessionStart)?;
        }
        Ok(log)
    }

    /// Writes scalars of a step; NaN is left out.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn write(&mut self, global_step: u64, scalars: &[(String, f64)]) -> Result<(), RlError> {
        self.put(global_step, Event::Scalars(scalars))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn put(&mut self, step: u64, event: Event<'_>) -> Result<(), RlError> {
        Ok(self.file.append(&record((self.clock)(), step, event))?)
    }
}

/// A new file; TensorBoard reads those of a folder in order of their names.
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
    reason = "TensorBoard shows the time of an event; nothing is computed from it"
)]
fn wall_time() -> f64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    since_1970.map_or(0.0, |since| since.as_secs_f64())
}

//! TensorBoard's event files.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use insonate_files::{AppendFile, FileError};

use super::record::{Event, record};
use crate::RlError;

/// An event file. Each session of a training writes a new one.
#[derive(Debug)]
pub struct EventLog {
    file: AppendFile,
    /// Returns the time [s] since 1970.
    clock: fn() -> f64,
}

impl EventLog {
    /// Creates a file in `folder`. After a resume at `global_step` > 0, it tells TensorBoard to discard later events of earlier files.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn open(folder: &Path, global_step: u64) -> Result<Self, RlError> {
        Self::with_clock(folder, global_step, wall_time)
    }

    fn with_clock(folder: &Path, global_step: u64, clock: fn() -> f64) -> Result<Self, RlError> {
        let file = create(folder, clock() as u64)?;
        let mut log = Self { file, clock };
        log.put(0, Event::FileVersion)?;
        if global_step > 0 {
            log.put(global_step + 1, Event::SessionStart)?;
        }
        Ok(log)
    }

    /// Writes scalars of a step. NaN values are skipped.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn write(&mut self, global_step: u64, scalars: &[(String, f64)]) -> Result<(), RlError> {
        self.put(global_step, Event::Scalars(scalars))
    }

    fn put(&mut self, step: u64, event: Event<'_>) -> Result<(), RlError> {
        Ok(self.file.append(&record((self.clock)(), step, event))?)
    }
}

/// Creates a new file. TensorBoard reads the files of a folder in the order of their names.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn clock() -> f64 {
        1_700_000_000.25
    }

    fn scalars(shift: f64) -> Vec<(String, f64)> {
        [
            ("charts/episodic_return", -1234.5 + shift),
            ("losses/value_loss", 1e-7),
            ("episode/unknown", f64::NAN),
            ("reward/angle θ", 2.0 / 3.0),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// TensorBoard 2.21's `EventAccumulator` read the golden file: it found these values and discarded no event before step 301.
    #[test]
    fn an_event_file_has_the_bytes_that_tensorboard_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = EventLog::with_clock(folder.path(), 300, clock).unwrap();
        log.write(512, &scalars(0.0)).unwrap();
        log.write(1 << 33, &scalars(1.0)).unwrap();
        let found = fs::read(log.file.path()).unwrap();
        if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
            fs::write("tests/golden/events.out.tfevents", &found).unwrap();
        }
        assert!(found == include_bytes!("../../tests/golden/events.out.tfevents"));
    }

    #[test]
    fn each_session_has_its_own_file() {
        let folder = tempfile::tempdir().unwrap();
        for index in 0..3 {
            let log = EventLog::with_clock(folder.path(), 0, clock).unwrap();
            let name = format!("events.out.tfevents.1700000000.insonate.{index:03}");
            assert_eq!(log.file.path(), folder.path().join(name));
        }
    }
}

//! Writes a data set in either format, one demonstration after the other.

use std::path::Path;

use crate::lerobot::LeRobotWriter;
use crate::robomimic::RobomimicWriter;
use crate::{DatasetError, DatasetInfo, Demonstration};

/// A format of data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// robomimic's HDF5 file.
    Robomimic,
    /// LeRobot's folder, version 3.0.
    LeRobot,
}

impl Format {
    /// Every format with its name.
    pub const ALL: [(&'static str, Self); 2] =
        [("lerobot", Self::LeRobot), ("robomimic", Self::Robomimic)];
}

/// A data set during writing. Files appear only with [`DatasetWriter::finish`].
#[derive(Debug)]
pub struct DatasetWriter {
    info: DatasetInfo,
    n_written: usize,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Robomimic(Box<RobomimicWriter>),
    LeRobot(Box<LeRobotWriter>),
}

impl DatasetWriter {
    /// Creates a data set: a file for robomimic, a folder for LeRobot.
    ///
    /// # Errors
    /// [`DatasetError::Write`]; [`DatasetError::Invalid`] for a folder that contains anything except a data
    /// set.
    pub fn create(path: &Path, format: Format, info: DatasetInfo) -> Result<Self, DatasetError> {
        let sink = match format {
            Format::Robomimic => Sink::Robomimic(Box::new(RobomimicWriter::new(path, &info)?)),
            Format::LeRobot => Sink::LeRobot(Box::new(LeRobotWriter::create(path, &info)?)),
        };
        Ok(Self {
            info,
            n_written: 0,
            sink,
        })
    }

    /// Adds a demonstration.
    ///
    /// # Errors
    /// [`DatasetError::Misfit`] for a demonstration of a different shape;
    /// [`DatasetError::Write`].
    pub fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError> {
        check(&self.info, demonstration).map_err(|problem| DatasetError::Misfit {
            index: self.n_written,
            problem,
        })?;
        match &mut self.sink {
            Sink::Robomimic(writer) => writer.push(demonstration)?,
            Sink::LeRobot(writer) => writer.push(demonstration)?,
        }
        self.n_written += 1;
        Ok(())
    }

    /// Completes the data set and makes it visible.
    ///
    /// # Errors
    /// [`DatasetError::Write`].
    pub fn finish(self) -> Result<(), DatasetError> {
        match self.sink {
            Sink::Robomimic(writer) => writer.finish(),
            Sink::LeRobot(writer) => writer.finish(),
        }
    }
}

/// Names the array of a demonstration whose shape differs from the data set's.
fn check(info: &DatasetInfo, demonstration: &Demonstration) -> Result<(), String> {
    let n = demonstration.len();
    if n == 0 {
        return Err("has no step".to_owned());
    }
    let shapes = [
        (
            "observations",
            demonstration.observations.len(),
            (n + 1) * info.observation_names.len(),
        ),
        (
            "actions",
            demonstration.actions.len(),
            n * info.action_names.len(),
        ),
        ("cameras", demonstration.frames.len(), info.cameras.len()),
        ("states", demonstration.states.len() % n, 0),
    ];
    let frames = info.cameras.iter().zip(&demonstration.frames);
    let frames =
        frames.map(|(camera, frames)| ("frames", frames.len(), (n + 1) * camera.frame_len()));
    match shapes
        .into_iter()
        .chain(frames)
        .find(|(_, found, expected)| found != expected)
    {
        Some((what, found, expected)) => Err(format!("has {found} {what}, {expected} expected")),
        None => Ok(()),
    }
}

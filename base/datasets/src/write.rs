//! Writes a data set in one of the formats, one demonstration after the other.

use std::path::Path;

#[cfg(feature = "lerobot")]
use crate::lerobot::{LeRobotWriter, OpenHWriter};
#[cfg(feature = "robomimic")]
use crate::robomimic::RobomimicWriter;
use crate::sink::Sink;
use crate::{DatasetError, DatasetInfo, Demonstration, EpisodeKind};

/// A format of data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// robomimic's HDF5 file.
    Robomimic,
    /// LeRobot's folder, version 3.0.
    LeRobot,
    /// Open-H's folder: LeRobot's version 2.1 with videos. It is written and not read.
    OpenH,
}

impl Format {
    /// Every format with its name.
    pub const ALL: [(&'static str, Self); 3] = [
        ("lerobot", Self::LeRobot),
        ("robomimic", Self::Robomimic),
        ("open-h", Self::OpenH),
    ];

    /// Whether a data set is a folder.
    pub fn is_folder(self) -> bool {
        self != Self::Robomimic
    }
}

/// A data set during writing. Files appear only with [`DatasetWriter::finish`].
#[derive(Debug)]
pub struct DatasetWriter {
    info: DatasetInfo,
    n_written: usize,
    /// Kind of the last demonstration.
    kind: EpisodeKind,
    sink: Box<dyn Sink>,
}

#[cfg(feature = "robomimic")]
fn robomimic(path: &Path, info: &DatasetInfo) -> Result<Box<dyn Sink>, DatasetError> {
    Ok(Box::new(RobomimicWriter::new(path, info)?))
}

#[cfg(not(feature = "robomimic"))]
fn robomimic(path: &Path, _: &DatasetInfo) -> Result<Box<dyn Sink>, DatasetError> {
    Err(DatasetError::no_robomimic(path))
}

#[cfg(feature = "lerobot")]
fn lerobot(path: &Path, info: &DatasetInfo) -> Result<Box<dyn Sink>, DatasetError> {
    Ok(Box::new(LeRobotWriter::create(path, info)?))
}

#[cfg(not(feature = "lerobot"))]
fn lerobot(path: &Path, _: &DatasetInfo) -> Result<Box<dyn Sink>, DatasetError> {
    Err(DatasetError::no_lerobot(path))
}

#[cfg(feature = "lerobot")]
fn open_h(path: &Path, info: &DatasetInfo) -> Result<Box<dyn Sink>, DatasetError> {
    Ok(Box::new(OpenHWriter::create(path, info)?))
}

#[cfg(not(feature = "lerobot"))]
fn open_h(path: &Path, _: &DatasetInfo) -> Result<Box<dyn Sink>, DatasetError> {
    Err(DatasetError::no_lerobot(path))
}

impl DatasetWriter {
    /// Creates a data set: a file for robomimic, a folder for LeRobot and Open-H.
    ///
    /// # Errors
    /// [`DatasetError::Write`]; [`DatasetError::Invalid`] for a folder that contains anything except a data
    /// set; [`DatasetError::NotBuilt`] without the feature of the format.
    pub fn create(path: &Path, format: Format, info: DatasetInfo) -> Result<Self, DatasetError> {
        let sink = match format {
            Format::Robomimic => robomimic(path, &info)?,
            Format::LeRobot => lerobot(path, &info)?,
            Format::OpenH => open_h(path, &info)?,
        };
        Ok(Self {
            info,
            n_written: 0,
            kind: EpisodeKind::default(),
            sink,
        })
    }

    /// Adds a demonstration.
    ///
    /// # Errors
    /// [`DatasetError::Misfit`] for a demonstration of a different shape, or of a kind before that of the last one;
    /// [`DatasetError::Write`].
    pub fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError> {
        let misfit = |problem| DatasetError::Misfit {
            index: self.n_written,
            problem,
        };
        check(&self.info, demonstration).map_err(misfit)?;
        if demonstration.kind < self.kind {
            let [kind, last] = [demonstration.kind, self.kind].map(EpisodeKind::name);
            let problem = format!("is of the kind {kind}, which comes before {last}");
            return Err(misfit(problem));
        }
        self.sink.push(demonstration)?;
        self.kind = demonstration.kind;
        self.n_written += 1;
        Ok(())
    }

    /// Completes the data set and makes it visible.
    ///
    /// # Errors
    /// [`DatasetError::Write`].
    pub fn finish(self) -> Result<(), DatasetError> {
        self.sink.finish()
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
        ("signals", demonstration.signals.len(), info.signals.len()),
    ];
    let signals = info.signals.iter().zip(&demonstration.signals);
    let signals =
        signals.map(|(signal, values)| ("signals", values.len(), (n + 1) * signal.entries.len()));
    let frames = info.cameras.iter().zip(&demonstration.frames);
    let frames =
        frames.map(|(camera, frames)| ("frames", frames.len(), (n + 1) * camera.frame_len()));
    match shapes
        .into_iter()
        .chain(frames)
        .chain(signals)
        .find(|(_, found, expected)| found != expected)
    {
        Some((what, found, expected)) => Err(format!("has {found} {what}, {expected} expected")),
        None => Ok(()),
    }
}

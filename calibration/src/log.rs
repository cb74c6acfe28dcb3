//! What a recorder wrote, in SI units: nothing is chosen or corrected yet.

use crate::LogFrames;

/// One recorded press, or a sequence of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Where it comes from.
    pub source: LogSource,
    /// Time [s], shape `[n]`; as recorded, not yet checked for order.
    pub time: Vec<f64>,
    /// Where the probe was.
    pub motion: Motion,
    /// Velocity [m/s]; its sense is that of `motion`: for an indentation, of its growth. `None`: not recorded.
    pub velocity: Option<Channel>,
    /// Force as recorded [N]; sense and bias unknown.
    pub force: Channel,
    /// Frames of position and force, where the log tells them.
    pub frames: LogFrames,
}

/// Where a log comes from; written into every result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSource {
    /// The path as given; a made-up name for a log that was not read.
    pub file: String,
    /// SHA-256 of the file, or of the files of a folder one after the other, lower-case hexadecimal; empty for a log that was not read.
    pub sha256: String,
    /// `csv`, `npy`, `npz`, `parquet`, `hdf5`, `mat`, `mcap`, `db3` or `synthetic`.
    pub format: &'static str,
    /// Which columns were taken for what, and in which units: one line each.
    pub columns: Vec<String>,
    /// What the reader noticed.
    pub notes: Vec<String>,
}

/// How the probe's place was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Indentation r [m]: zero at the undeformed surface, growing into the tissue.
    Indentation(Vec<f64>),
    /// Position in a frame whose relation to the surface is unknown [m].
    Position(Channel),
}

/// One number a sample, or a vector.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// Along one axis, shape `[n]`.
    Scalar(Vec<f64>),
    /// In space, shape `[n, 3]`.
    Vector(Vec<[f64; 3]>),
}

impl Channel {
    /// Number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Scalar(values) => values.len(),
            Self::Vector(values) => values.len(),
        }
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl LogSource {
    /// The file's name without folder and ending.
    pub fn name(&self) -> String {
        std::path::Path::new(&self.file).file_stem().map_or_else(
            || self.file.clone(),
            |stem| stem.to_string_lossy().into_owned(),
        )
    }
}

impl Log {
    /// The file's name without folder and ending.
    pub fn name(&self) -> String {
        self.source.name()
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// A log of these rows alone, counted from 0, in the order given.
    ///
    /// # Panics
    /// For a row that the log does not have.
    #[must_use]
    pub fn rows(&self, rows: &[usize]) -> Self {
        fn picked<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row]).collect()
        }
        let channel = |channel: &Channel| match channel {
            Channel::Scalar(values) => Channel::Scalar(picked(values, rows)),
            Channel::Vector(values) => Channel::Vector(picked(values, rows)),
        };
        let turns = &self.frames.force_to_motion;
        Self {
            source: self.source.clone(),
            time: picked(&self.time, rows),
            motion: match &self.motion {
                Motion::Indentation(values) => Motion::Indentation(picked(values, rows)),
                Motion::Position(positions) => Motion::Position(channel(positions)),
            },
            velocity: self.velocity.as_ref().map(channel),
            force: channel(&self.force),
            frames: LogFrames {
                force_to_motion: if turns.len() > 1 {
                    picked(turns, rows)
                } else {
                    turns.clone()
                },
                ..self.frames.clone()
            },
        }
    }
}

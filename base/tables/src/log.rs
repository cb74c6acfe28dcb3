//! A recorded log in SI units, before any choice or correction.

use crate::LogFrames;

/// One recorded press, or a sequence of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Origin of the log.
    pub source: LogSource,
    /// Time [s], shape `[n]`; as recorded, not yet checked for order.
    pub time: Vec<f64>,
    /// Motion of the probe.
    pub motion: Motion,
    /// Velocity [m/s], with the same sign convention as `motion`: for an indentation, the rate of its growth. `None`
    /// if not recorded.
    pub velocity: Option<Channel>,
    /// Force as recorded [N]; sign and bias unknown.
    pub force: Channel,
    /// Frames of position and force, if the log states them.
    pub frames: LogFrames,
}

/// Origin of a log; written into every result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSource {
    /// The path as given; an invented name for a log that was not read from a file.
    pub file: String,
    /// SHA-256 of the file, or of the concatenated files of a folder, lower-case hexadecimal; empty for a log that
    /// was not read from a file.
    pub sha256: String,
    /// Name of a [`Format`](crate::Format), or `synthetic`.
    pub format: &'static str,
    /// Roles and units of the columns, one line each.
    pub columns: Vec<String>,
    /// Notes of the reader.
    pub notes: Vec<String>,
}

/// How the probe's position was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Indentation r [m]: zero at the undeformed surface, growing into the tissue.
    Indentation(Vec<f64>),
    /// Position in a frame whose relation to the surface is unknown [m].
    Position(Channel),
}

/// A scalar or a vector per sample.
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
    /// File name without folder and extension.
    pub fn name(&self) -> String {
        std::path::Path::new(&self.file).file_stem().map_or_else(
            || self.file.clone(),
            |stem| stem.to_string_lossy().into_owned(),
        )
    }
}

impl Log {
    /// File name without folder and extension.
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

    /// A log of these rows only (indices from 0), in the order given.
    ///
    /// # Panics
    /// Panics if the log does not have one of the rows.
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

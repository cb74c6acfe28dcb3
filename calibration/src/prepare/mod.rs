//! From log to samples: bias, contact, normal, velocity, window. Every choice is stated.

use crate::{CalibrationError, Choice, Log, Samples};

/// How to prepare. The defaults are those of the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// Force bias.
    pub bias: Bias,
    /// Sense of the force.
    pub sign: Sign,
    /// Time window to fit [s]; `None`: from contact to release, or all of a log whose indentation is given.
    pub window: Option<[f64; 2]>,
    /// Position of the undeformed surface along the axis of the position [m], for logs of position; `None`: found.
    pub surface: Option<f64>,
    /// Outward surface normal, for 3-D logs; `None`: found from the direction of motion and force.
    pub normal: Option<[f64; 3]>,
    /// Velocity.
    pub velocity: VelocitySource,
}

/// Force that the sensor shows without contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bias {
    /// Removed if the log has a stretch of free air; otherwise nothing is removed, with a note.
    #[default]
    Auto,
    /// Nothing is removed.
    None,
    /// This is removed [N], after the sign is set.
    Known(f64),
}

/// Sense of the recorded force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// Found: force must grow with indentation.
    #[default]
    Auto,
    /// Pressing is recorded positive.
    PressingPositive,
    /// Pressing is recorded negative.
    PressingNegative,
}

/// Where the velocity comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VelocitySource {
    /// The logged one where there is one, otherwise [`Self::Estimated`] with a window chosen by the noise.
    #[default]
    Auto,
    /// Savitzky and Golay 1964: a polynomial of this order over a window of this many samples (odd).
    Estimated {
        /// Window [samples]; 0: chosen by the noise.
        window: usize,
        /// Order of the polynomial.
        order: usize,
    },
}

/// A prepared log.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// To be fitted.
    pub samples: Samples,
    /// What was chosen and how, in the order of the work.
    pub choices: Vec<Choice>,
    /// Force bias removed [N].
    pub force_bias: f64,
    /// First and last time of the window [s].
    pub window: [f64; 2],
    /// The whole log along the normal, for plots: time, indentation and bias-free force, thinned to some thousands.
    pub overview: Overview,
    /// What was noticed.
    pub notes: Vec<String>,
}

/// The whole log, thinned; shapes `[n]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// Time [s].
    pub time: Vec<f64>,
    /// Indentation, negative in air [m].
    pub indentation: Vec<f64>,
    /// Bias-free force [N].
    pub force: Vec<f64>,
}

/// Prepares a log.
///
/// # Errors
/// [`CalibrationError::Log`] for a log that cannot be calibrated, with the row and what to do.
pub fn prepare(_log: &Log, _options: &PrepareOptions) -> Result<Prepared, CalibrationError> {
    unimplemented!()
}

//! One log, from what was recorded to a fitted model.

use crate::{CalibrationError, Fit, FitOptions, Log, PrepareOptions, Prepared, Selection};

/// Which model to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// The one of this name in [`crate::models::ALL`].
    Named(&'static str),
    /// The one that [`crate::selection`] prefers.
    Auto,
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct CalibrationOptions {
    /// Model.
    pub model: ModelChoice,
    /// Preparation.
    pub prepare: PrepareOptions,
    /// Fit.
    pub fit: FitOptions,
}

/// A calibrated log.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The samples and how they were made.
    pub prepared: Prepared,
    /// The fit.
    pub fit: Fit,
    /// Where models were compared: how, and why this one.
    pub selection: Option<Selection>,
}

/// Prepares and fits a log.
///
/// # Errors
/// As [`crate::prepare`] and the model.
pub fn calibrate(
    _log: &Log,
    _options: &CalibrationOptions,
) -> Result<Calibration, CalibrationError> {
    unimplemented!()
}

//! One log, from what was recorded to a fitted model.

use crate::{
    CalibrationError, Fit, FitOptions, Log, ModelSelection, PrepareOptions, PreparedLog, models,
    prepare, selection,
};

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
    pub prepared: PreparedLog,
    /// The fit.
    pub fit: Fit,
    /// Where models were compared: how, and why this one.
    pub selection: Option<ModelSelection>,
}

impl Default for CalibrationOptions {
    fn default() -> Self {
        Self {
            model: ModelChoice::Named("divided"),
            prepare: PrepareOptions::default(),
            fit: FitOptions::default(),
        }
    }
}

/// Prepares and fits a log.
///
/// # Errors
/// As [`crate::prepare`] and the model; [`CalibrationError::Option`] for a model that there is not.
pub fn calibrate(log: &Log, options: &CalibrationOptions) -> Result<Calibration, CalibrationError> {
    let (kind, prepared, selection) = match options.model {
        ModelChoice::Named(name) => {
            let kind = models::by_name(name).ok_or_else(|| no_model(name))?;
            (kind, prepare(log, &options.prepare)?, None)
        }
        ModelChoice::Auto => {
            let prepared = prepare(log, &options.prepare)?;
            let (kind, selection) = selection::select(&prepared.samples, &options.fit)?;
            (kind, prepared, Some(selection))
        }
    };
    let fit = (kind.fit)(&prepared.samples, &options.fit)?;
    Ok(Calibration {
        prepared,
        fit,
        selection,
    })
}

fn no_model(name: &str) -> CalibrationError {
    let names: Vec<&str> = models::ALL.iter().map(|kind| kind.name).collect();
    CalibrationError::Option {
        option: "--model",
        problem: format!("there is no {name:?}; there are {}, auto", names.join(", ")),
    }
}

//! One log, from what was recorded to a fitted model.

use crate::{
    CalibrationError, Fit, FitOptions, Log, LogSource, ModelSelection, PrepareOptions, PreparedLog,
    doubts, late,
    models::{self, selection},
    prepare,
};

/// Which model to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// The one of this name in [`crate::models::ALL`].
    Named(&'static str),
    /// The one that predicts samples best that the fit did not see, with the fewest parameters.
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
    /// Where the log comes from.
    pub source: LogSource,
    /// The samples and how they were made.
    pub prepared: PreparedLog,
    /// The fit.
    pub fit: Fit,
    /// Where models were compared: how, and why this one.
    pub selection: Option<ModelSelection>,
    /// Why the fit may mislead, in words, with what to do; empty where nothing speaks against it.
    pub doubts: Vec<String>,
}

impl Default for CalibrationOptions {
    fn default() -> Self {
        Self {
            model: ModelChoice::Named(models::DEFAULT.name),
            prepare: PrepareOptions::default(),
            fit: FitOptions::default(),
        }
    }
}

/// Prepares and fits a log.
///
/// # Errors
/// As [`crate::prepare`] and the model; [`CalibrationError::Option`] for an unknown model.
pub fn calibrate(log: &Log, options: &CalibrationOptions) -> Result<Calibration, CalibrationError> {
    let named = match options.model {
        ModelChoice::Named(name) => Some(models::by_name(name).ok_or_else(|| unknown(name))?),
        ModelChoice::Auto => None,
    };
    let prepared = prepare(log, &options.prepare)?;
    let (kind, selection) = if let Some(kind) = named {
        (kind, None)
    } else {
        let (kind, selection) = selection::select(models::ALL, &prepared.samples, &options.fit)?;
        (kind, Some(selection))
    };
    let mut calibration = Calibration {
        source: log.source.clone(),
        fit: kind.fit(&prepared.samples, &options.fit)?,
        prepared,
        selection,
        doubts: Vec::new(),
    };
    calibration.judge(&options.fit);
    Ok(calibration)
}

impl Calibration {
    /// Gathers the doubts about the fit; where no law describes the log, none of its parameters stands.
    pub(crate) fn judge(&mut self, options: &FitOptions) {
        self.doubts = doubts::of(&self.prepared.samples, &self.fit, options);
        let choices = &self.prepared.choices;
        if choices.iter().all(|choice| choice.what != "force latency") {
            self.doubts
                .extend(late::of(&self.prepared.samples, &self.fit, options));
        }
        if let Some(selection) = &self.selection
            && selection.is_none()
        {
            for parameter in &mut self.fit.parameters {
                parameter.identifiable = false;
                parameter.reason = "no law describes this log".into();
            }
            self.doubts.insert(0, selection.reason.clone());
        }
    }
}

fn unknown(name: &str) -> CalibrationError {
    let names: Vec<&str> = models::ALL.iter().map(|kind| kind.name).collect();
    CalibrationError::option(
        "--model",
        format!("there is no {name:?}; there are {}, auto", names.join(", ")),
    )
}

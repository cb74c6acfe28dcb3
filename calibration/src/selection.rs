//! Which model a log supports: information criterion and held-out error, with the reason in words.

use crate::{CalibrationError, FitOptions, Samples, models, models::ModelKind};

/// A model that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its name.
    pub model: &'static str,
    /// Schwarz' criterion with the effective number of samples; smaller is better.
    pub bic: f64,
    /// Root mean square force error on blocks that the fit did not see [N].
    pub held_out_rmse_n: f64,
    /// Why it was ruled out; empty where it was not.
    pub ruled_out: String,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Best first.
    pub candidates: Vec<Candidate>,
    /// Why the first was chosen.
    pub reason: String,
}

/// Compares the models on samples.
pub(crate) fn select(
    _samples: &Samples,
    _options: &FitOptions,
) -> Result<(&'static ModelKind, Selection), CalibrationError> {
    let _ = models::ALL;
    unimplemented!()
}

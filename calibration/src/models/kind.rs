//! Registry entry of a law.

use super::{law::Law, solver};
use crate::{CalibrationError, Fit, FitOptions, Samples};

/// Creates a law for samples and validates its options.
type MakeLaw = fn(&Samples, &FitOptions) -> Result<Box<dyn Law>, CalibrationError>;

/// A tissue law, as listed in [`super::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct ModelKind {
    /// Name on the command line.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// The equation, as text.
    pub equation: &'static str,
    /// Whether model selection considers it.
    pub is_candidate: bool,
    /// Whether it gives the stiffness and damping that a scene needs.
    pub gives_softness: bool,
    /// Whether the force depends on the past, so that the order of samples matters.
    pub has_memory: bool,
    /// Options of the command line that only some laws use, such as `--exponents`.
    pub options: &'static [&'static str],
    /// Creates the law.
    pub(super) law: MakeLaw,
}

impl ModelKind {
    /// Fits the law to samples.
    ///
    /// # Errors
    /// [`CalibrationError::Fit`] for samples that the law cannot be fitted to, [`CalibrationError::Option`] for invalid options.
    pub fn fit(&self, samples: &Samples, options: &FitOptions) -> Result<Fit, CalibrationError> {
        let law = (self.law)(samples, options)?;
        let options = solver::options_for(self.name, &*law, samples, options)?;
        let mut fit = solver::solve(self.name, &*law, samples, &options)?.fit();
        fit.notes.extend(law.notes(&fit, samples));
        Ok(fit)
    }
}

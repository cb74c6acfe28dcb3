//! Laws of tissue under a probe: one file each, listed in [`ALL`].

mod direct;
mod divided;
mod kelvin_voigt;
mod law;
mod rates;
mod report;
mod search;

use crate::{CalibrationError, Fit, FitOptions, Samples};

/// An entry of the registry.
#[derive(Clone, Copy, Debug)]
pub struct ModelKind {
    /// Name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The equation, as text.
    pub equation: &'static str,
    /// Fits it.
    pub fit: fn(&Samples, &FitOptions) -> Result<Fit, CalibrationError>,
}

/// Every model.
pub const ALL: &[ModelKind] = &[divided::KIND, kelvin_voigt::KIND];

/// The model called `name`.
pub fn by_name(name: &str) -> Option<&'static ModelKind> {
    ALL.iter().find(|kind| kind.name == name)
}

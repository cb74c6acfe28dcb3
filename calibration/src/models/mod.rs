//! Laws of tissue under a probe: one file each, listed in [`ALL`].

pub(crate) mod compare;
mod direct;
mod divided;
mod flat_punch;
mod hertz;
mod hunt_crossley;
mod kelvin_voigt;
mod law;
mod quasi_static;
mod rates;
mod report;
mod search;
mod sls;
pub(crate) mod tangent;

use law::Law;

use crate::{CalibrationError, Fit, FitOptions, Samples};

/// A law whose options are checked.
type AnyLaw = Box<dyn Law>;

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
    /// The law itself, for comparisons.
    law: fn(&Samples, &FitOptions) -> Result<AnyLaw, CalibrationError>,
}

/// Every model.
pub const ALL: &[ModelKind] = &[
    divided::KIND,
    kelvin_voigt::KIND,
    hunt_crossley::KIND,
    sls::KIND,
    hertz::KIND,
    flat_punch::KIND,
];

/// The model called `name`.
pub fn by_name(name: &str) -> Option<&'static ModelKind> {
    ALL.iter().find(|kind| kind.name == name)
}

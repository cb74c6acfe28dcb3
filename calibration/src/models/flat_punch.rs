//! Flat cylindrical punch on an elastic half space, pressed slowly (Sneddon 1965).
//!
//! ```text
//! f = k r,   k = 2 a E/(1 − ν²)
//! ```

use super::{
    half_space::{self, ElasticHalfSpace},
    kind::ModelKind,
    law::{Law, STIFFNESS},
};
use crate::{CalibrationError, FitOptions, Indenter, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "flat-punch",
    summary: "flat cylinder on an elastic half space, for slow presses",
    equation: "f = 2 a E/(1 − ν²) r",
    is_candidate: true,
    gives_softness: false,
    has_memory: false,
    options: &["--tip flat"],
    law,
};

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    let radius = match options.indenter {
        None => None,
        Some(Indenter::FlatPunch(radius)) => Some(half_space::radius(radius)?),
        Some(Indenter::Sphere(_)) => {
            return Err(CalibrationError::option(
                "--tip",
                "a sphere does not press like a flat punch; use --model hertz, or a flat tip",
            ));
        }
    };
    let plane_strain = half_space::plane_strain(options.poisson_ratio)?;
    Ok(Box::new(ElasticHalfSpace {
        coefficient: STIFFNESS,
        exponent: 1.0,
        modulus_over_coefficient: radius.map(|radius| plane_strain / (2.0 * radius)),
    }))
}

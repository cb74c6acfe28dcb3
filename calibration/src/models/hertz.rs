//! Hertz 1882: a sphere pressed slowly into an elastic half space.
//!
//! ```text
//! f = κ r^{3/2},   κ = 4/3 E/(1 − ν²) √R
//! ```

use super::{
    half_space::{self, ElasticHalfSpace},
    kind::ModelKind,
    law::{Law, Spec},
};
use crate::{CalibrationError, FitOptions, Indenter, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "hertz",
    summary: "sphere on an elastic half space, for slow presses",
    equation: "f = 4/3 E/(1 − ν²) √R r^{3/2}",
    is_candidate: true,
    gives_softness: false,
    has_memory: false,
    options: &["--tip sphere"],
    law,
};

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    let radius = match options.indenter {
        None => None,
        Some(Indenter::Sphere(radius)) => Some(half_space::radius(radius)?),
        Some(Indenter::FlatPunch(_)) => {
            return Err(CalibrationError::option(
                "--tip",
                "a flat punch does not press by Hertz' law; use --model flat-punch, or a sphere",
            ));
        }
    };
    let plane_strain = half_space::plane_strain(options.poisson_ratio)?;
    Ok(Box::new(ElasticHalfSpace {
        coefficient: Spec {
            name: "kappa",
            title: "κ",
            unit: "N/m^1.5",
            positive: true,
            advice: "press deeper",
        },
        exponent: 1.5,
        modulus_over_coefficient: radius.map(|radius| 0.75 * plane_strain / radius.sqrt()),
    }))
}

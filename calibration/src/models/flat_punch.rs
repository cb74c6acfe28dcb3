//! Flat cylindrical punch on an elastic half space, pressed slowly (Sneddon 1965).
//!
//! ```text
//! f = k r,   k = 2 a E/(1 − ν²)
//! ```

use super::{
    ModelKind, direct,
    kelvin_voigt::STIFFNESS,
    law::{Inputs, Law, Spec},
    quasi_static,
};
use crate::{CalibrationError, FitOptions, Indenter, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "flat-punch",
    summary: "flat cylinder on an elastic half space, for slow presses",
    equation: "f = 2 a E/(1 − ν²) r",
    fit: |samples, options| {
        let fit = direct::fit(&*law(samples, options)?, samples, options)?;
        Ok(quasi_static::checked(fit, samples))
    },
    law,
};

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    let radius = match options.indenter {
        None => None,
        Some(Indenter::FlatPunch(radius)) => Some(quasi_static::radius(radius)?),
        Some(Indenter::Sphere(_)) => {
            return Err(CalibrationError::Option {
                option: "--tip",
                problem:
                    "a sphere does not press like a flat punch; use --model hertz, or a flat tip"
                        .into(),
            });
        }
    };
    let plane_strain = quasi_static::plane_strain(options.poisson_ratio)?;
    Ok(Box::new(FlatPunch {
        modulus_over_stiffness: radius.map(|radius| plane_strain / (2.0 * radius)),
    }))
}

/// The law.
struct FlatPunch {
    /// E/k [1/m], where the radius is given.
    modulus_over_stiffness: Option<f64>,
}

impl Law for FlatPunch {
    fn model(&self) -> &'static str {
        KIND.name
    }

    fn columns(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Vec<Vec<f64>> {
        vec![inputs.column(|r, _| r)]
    }

    fn velocity_gain(&self, _inputs: &Inputs, _nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        None
    }

    fn linear_in_surface(&self) -> bool {
        true
    }

    fn specs(&self) -> Vec<Spec> {
        let mut specs = vec![STIFFNESS];
        if self.modulus_over_stiffness.is_some() {
            specs.push(quasi_static::YOUNG_MODULUS);
        }
        specs
    }

    fn report(&self, linear: &[f64], _nonlinear: &[f64]) -> Vec<f64> {
        let modulus = self.modulus_over_stiffness.map(|ratio| ratio * linear[0]);
        std::iter::once(linear[0]).chain(modulus).collect()
    }
}

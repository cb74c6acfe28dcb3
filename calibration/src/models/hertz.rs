//! Hertz 1882: a sphere pressed slowly into an elastic half space.
//!
//! ```text
//! f = κ r^{3/2},   κ = 4/3 E/(1 − ν²) √R
//! ```

use super::{
    ModelKind, direct,
    hunt_crossley::power,
    law::{Inputs, Law, Spec},
    quasi_static,
};
use crate::{CalibrationError, FitOptions, Indenter, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "hertz",
    summary: "sphere on an elastic half space, for slow presses",
    equation: "f = 4/3 E/(1 − ν²) √R r^{3/2}",
    fit: |samples, options| {
        let fit = direct::fit(&*law(samples, options)?, samples, options)?;
        Ok(quasi_static::checked(fit, samples))
    },
    law,
};

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    let radius = match options.indenter {
        None => None,
        Some(Indenter::Sphere(radius)) => Some(quasi_static::radius(radius)?),
        Some(Indenter::FlatPunch(_)) => {
            return Err(CalibrationError::Option {
                option: "--tip",
                problem:
                    "a flat punch does not press by Hertz' law; use --model flat-punch, or a sphere"
                        .into(),
            });
        }
    };
    let plane_strain = quasi_static::plane_strain(options.poisson_ratio)?;
    Ok(Box::new(Hertz {
        modulus_over_kappa: radius.map(|radius| 0.75 * plane_strain / radius.sqrt()),
    }))
}

/// The law.
struct Hertz {
    /// E/κ [√m], where the radius is given.
    modulus_over_kappa: Option<f64>,
}

impl Law for Hertz {
    fn model(&self) -> &'static str {
        KIND.name
    }

    fn columns(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Vec<Vec<f64>> {
        vec![inputs.column(|r, _| power(r, 1.5))]
    }

    fn velocity_gain(&self, _inputs: &Inputs, _nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        None
    }

    fn specs(&self) -> Vec<Spec> {
        let mut specs = vec![Spec {
            name: "kappa",
            unit: "N/m^1.5",
            positive: true,
            advice: "press deeper",
        }];
        if self.modulus_over_kappa.is_some() {
            specs.push(quasi_static::YOUNG_MODULUS);
        }
        specs
    }

    fn report(&self, linear: &[f64], _nonlinear: &[f64]) -> Vec<f64> {
        let modulus = self.modulus_over_kappa.map(|ratio| ratio * linear[0]);
        std::iter::once(linear[0]).chain(modulus).collect()
    }
}

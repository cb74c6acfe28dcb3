//! An indenter pressed slowly into an elastic half space: f = β rⁿ with β proportional to Young's modulus.

use super::law::{Inputs, Law, Spec, power};
use crate::{
    CalibrationError, ElasticTerm, Fit, FitOptions, Indenter, Samples,
    statistics::least_squares::weighted_dot,
};

/// Largest share of the force that may depend on velocity.
const LARGEST_SHARE: f64 = 0.03;

/// Young's modulus E.
const YOUNG_MODULUS: Spec = Spec {
    name: "young_modulus",
    title: "Young's modulus E",
    unit: "Pa",
    positive: true,
    advice: "press deeper",
};

/// The law.
pub(super) struct ElasticHalfSpace {
    /// β.
    pub(super) coefficient: Spec,
    /// Indenter tip.
    pub(super) tip: Tip,
}

impl Law for ElasticHalfSpace {
    fn columns(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Vec<Vec<f64>> {
        vec![inputs.column(|r, _| {
            if self.linear_in_surface() {
                r
            } else {
                power(r, self.tip.exponent)
            }
        })]
    }

    fn linear_in_surface(&self) -> bool {
        self.tip.exponent == 1.0
    }

    fn elastic_term(&self, _nonlinear: &[f64]) -> Option<ElasticTerm> {
        Some(ElasticTerm::new(self.coefficient.name, self.tip.exponent))
    }

    fn specs(&self) -> Vec<Spec> {
        let modulus = self.tip.modulus_over_coefficient.map(|_| YOUNG_MODULUS);
        std::iter::once(self.coefficient).chain(modulus).collect()
    }

    fn report(&self, linear: &[f64], _nonlinear: &[f64]) -> Vec<f64> {
        let modulus = self
            .tip
            .modulus_over_coefficient
            .map(|ratio| ratio * linear[0]);
        std::iter::once(linear[0]).chain(modulus).collect()
    }

    /// Adds a note if the force depends on velocity, which an elastic law cannot describe.
    fn notes(&self, fit: &Fit, samples: &Samples) -> Option<String> {
        let pick = |values: &[f64]| -> Vec<f64> { fit.used.iter().map(|&i| values[i]).collect() };
        let (velocity, force) = (pick(&samples.velocity), pick(&samples.force));
        let residual: Vec<f64> = force
            .iter()
            .zip(&fit.predicted)
            .map(|(force, predicted)| force - predicted)
            .collect();
        let motion = weighted_dot(&velocity, &velocity, None);
        let size = weighted_dot(&force, &force, None).sqrt();
        if motion <= 0.0 || size <= 0.0 {
            return None;
        }
        let share = weighted_dot(&residual, &velocity, None).abs() / motion.sqrt() / size;
        (share > LARGEST_SHARE).then(|| format!(
            "the press was not quasi-static: {:.0} % of the force goes with velocity, which this law does not have; press slower, or use hunt-crossley or kelvin-voigt",
            share * 100.0
        ))
    }
}

/// Contact law of a tip on a half space: force = coefficient · rⁿ.
pub(super) struct Tip {
    /// n: 1.5 for a sphere, 1 for a flat punch.
    pub(super) exponent: f64,
    /// E over the coefficient, if the radius is given.
    pub(super) modulus_over_coefficient: Option<f64>,
}

impl Tip {
    /// A sphere: κ = 4/3 E/(1 − ν²) √R (Hertz 1882).
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for a flat tip, or if the radius or Poisson's ratio is out of range.
    pub(super) fn sphere(options: &FitOptions) -> Result<Self, CalibrationError> {
        let radius = match options.indenter {
            None => None,
            Some(Indenter::Sphere(radius)) => Some(self::radius(radius)?),
            Some(Indenter::FlatPunch(_)) => {
                return Err(CalibrationError::option(
                    "--tip",
                    "a flat punch does not press by Hertz' law; use --model flat-punch, or a sphere",
                ));
            }
        };
        let plane_strain = plane_strain(options.poisson_ratio)?;
        Ok(Self {
            exponent: 1.5,
            modulus_over_coefficient: radius.map(|radius| 0.75 * plane_strain / radius.sqrt()),
        })
    }

    /// A flat cylindrical punch: k = 2 a E/(1 − ν²) (Sneddon 1965).
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for a sphere, or if the radius or Poisson's ratio is out of range.
    pub(super) fn flat_punch(options: &FitOptions) -> Result<Self, CalibrationError> {
        let radius = match options.indenter {
            None => None,
            Some(Indenter::FlatPunch(radius)) => Some(self::radius(radius)?),
            Some(Indenter::Sphere(_)) => {
                return Err(CalibrationError::option(
                    "--tip",
                    "a sphere does not press like a flat punch; use --model hertz, or a flat tip",
                ));
            }
        };
        let plane_strain = plane_strain(options.poisson_ratio)?;
        Ok(Self {
            exponent: 1.0,
            modulus_over_coefficient: radius.map(|radius| plane_strain / (2.0 * radius)),
        })
    }
}

/// The validated radius of an indenter [m].
fn radius(radius: f64) -> Result<f64, CalibrationError> {
    if radius.is_finite() && radius > 0.0 {
        Ok(radius)
    } else {
        Err(CalibrationError::option(
            "--tip",
            format!("the radius is {radius} m; it must be above 0 m"),
        ))
    }
}

/// 1 − ν².
fn plane_strain(poisson_ratio: f64) -> Result<f64, CalibrationError> {
    if (0.0..=0.5).contains(&poisson_ratio) {
        Ok(1.0 - poisson_ratio * poisson_ratio)
    } else {
        Err(CalibrationError::option(
            "--poisson-ratio",
            format!("Poisson's ratio is {poisson_ratio}; it must be between 0 and 0.5"),
        ))
    }
}

//! What the elastic laws share: tip, Poisson's ratio, Young's modulus, and whether a press was slow enough for them.

use super::law::Spec;
use crate::{CalibrationError, Fit, Samples, statistics::least_squares::weighted_dot};

/// Share of the force that may go with velocity.
const LARGEST_SHARE: f64 = 0.03;

/// Young's modulus E.
pub(super) const YOUNG_MODULUS: Spec = Spec {
    name: "young_modulus",
    unit: "Pa",
    positive: true,
    advice: "press deeper",
};

/// A tip's radius [m], checked.
pub(super) fn radius(radius: f64) -> Result<f64, CalibrationError> {
    if radius.is_finite() && radius > 0.0 {
        Ok(radius)
    } else {
        Err(CalibrationError::Option {
            option: "--tip",
            problem: format!("a radius of {radius} m; it must be positive"),
        })
    }
}

/// 1 − ν².
pub(super) fn plane_strain(poisson_ratio: f64) -> Result<f64, CalibrationError> {
    if (0.0..=0.5).contains(&poisson_ratio) {
        Ok(1.0 - poisson_ratio * poisson_ratio)
    } else {
        Err(CalibrationError::Option {
            option: "--poisson-ratio",
            problem: format!("{poisson_ratio}; tissue lies between 0 and 0.5"),
        })
    }
}

/// Notes where force goes with velocity, which an elastic law does not have.
pub(super) fn checked(mut fit: Fit, samples: &Samples) -> Fit {
    let pick = |values: &[f64]| -> Vec<f64> { fit.used.iter().map(|&i| values[i]).collect() };
    let (velocity, force) = (pick(&samples.velocity), pick(&samples.force));
    let residual: Vec<f64> = force
        .iter()
        .zip(&fit.predicted)
        .map(|(force, predicted)| force - predicted)
        .collect();
    let motion = weighted_dot(&velocity, &velocity, None);
    let size = weighted_dot(&force, &force, None).sqrt();
    if motion > 0.0 && size > 0.0 {
        let share = weighted_dot(&residual, &velocity, None).abs() / motion.sqrt() / size;
        if share > LARGEST_SHARE {
            fit.notes.push(format!(
                "the press was not quasi-static: {:.0} % of the force goes with velocity, which this law does not have; press slower, or use hunt-crossley or kelvin-voigt",
                share * 100.0
            ));
        }
    }
    fit
}

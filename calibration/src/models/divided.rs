//! Kelvin–Voigt in the divided form: a straight line through f/r over ṙ/r.
//!
//! ```text
//! f/r = k + c (ṙ/r)                        (+ f₀/r) (+ m r̈/r)
//! ```
//!
//! The fit is ordinary least squares with linfa. The division by r gives a large weight to samples at small
//! indentation and to their noise, so the singular region r → 0 is left out: see [`Law::least_indentation`]. If the
//! surface was estimated, it is first refined with the direct form f = k r + c ṙ, whose rows are not divided: an
//! error δ of the surface changes f/r by the factor δ/r, which is largest at the smallest r.

use linfa::{Dataset, traits::Fit as _};
use linfa_linear::LinearRegression;
use ndarray::{Array1, Array2};

use super::{
    kelvin_voigt::KelvinVoigt,
    kind::ModelKind,
    latency,
    law::{Inputs, Law, Spec},
};
use crate::ContactPoint;

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "divided",
    summary: "Kelvin–Voigt as a straight line f/r over ṙ/r, ordinary least squares",
    equation: "f/r = k + c ṙ/r",
    is_candidate: false, // Kelvin–Voigt with other weights.
    gives_softness: true,
    has_memory: false,
    options: &[latency::OPTION],
    law: |_, _| Ok(Box::new(Divided)),
};

/// Share of the largest indentation below which samples are left out, for a given and for an estimated surface. On
/// noisy presses the error of the damping falls from 3.1 % to 1.7, 1.0 and 0.6 % for 2.5, 5, 10 and 15 %; the
/// stiffness does not change.
const SHARE_OF_KNOWN: f64 = 0.05;
const SHARE_OF_FOUND: f64 = 0.1;
/// Indentation below which samples are left out, in standard errors of the surface: at 10, an error of one standard
/// error changes f/r by at most a tenth.
const STANDARD_ERRORS: f64 = 10.0;

/// The law.
struct Divided;

impl Law for Divided {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        KelvinVoigt.columns(inputs, nonlinear)
    }

    fn velocity_gain(&self, inputs: &Inputs, nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        KelvinVoigt.velocity_gain(inputs, nonlinear)
    }

    fn specs(&self) -> Vec<Spec> {
        KelvinVoigt.specs()
    }

    fn ordinary_least_squares(&self, columns: &[Vec<f64>], target: &[f64]) -> Option<Vec<f64>> {
        // The first column is r/r = 1, which linfa adds itself.
        let slopes = &columns[1..];
        let regressors = Array2::from_shape_fn((target.len(), slopes.len()), |(i, j)| slopes[j][i]);
        let dataset = Dataset::new(regressors, Array1::from(target.to_vec()));
        let line = LinearRegression::new().fit(&dataset).ok()?;
        let coefficients: Vec<f64> = std::iter::once(line.intercept())
            .chain(line.params().iter().copied())
            .collect();
        coefficients
            .iter()
            .all(|value| value.is_finite())
            .then_some(coefficients)
    }

    fn direct_form(&self) -> Option<&'static dyn Law> {
        Some(&KelvinVoigt)
    }

    fn least_indentation(&self, largest: f64, contact: &ContactPoint) -> f64 {
        if contact.known {
            SHARE_OF_KNOWN * largest
        } else {
            (SHARE_OF_FOUND * largest).max(STANDARD_ERRORS * contact.standard_error)
        }
    }
}

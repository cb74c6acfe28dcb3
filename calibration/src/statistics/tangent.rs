//! Linearised equations of a fit at a solution: slopes of the prediction, and the effect of velocity noise on them.
//!
//! The prediction contains the velocity v as g(θ) v. Noise of variance σ² in v adds σ² Σ ġⱼ ġₖ to the Gram matrix of
//! the slopes, with ġⱼ = dg/dθⱼ, and subtracts σ² Σ ġⱼ g from the scores (Carroll et al. 2006, §5.2).

use nalgebra::{DMatrix, DVector};

use super::least_squares::{self, Inverse, weighted_dot};

/// Slopes at a solution; all columns have shape `[n]`.
pub(crate) struct Tangent {
    /// dŷ/dθⱼ.
    pub(crate) jacobian: Vec<Vec<f64>>,
    /// dg/dθⱼ; `None`: zero.
    pub(crate) gains: Vec<Option<Vec<f64>>>,
    /// g; empty if no noise is corrected.
    pub(crate) total: Vec<f64>,
    /// σ² [m²/s²].
    pub(crate) variance: f64,
}

impl Tangent {
    /// Inverse of the Gram matrix without the contribution of the noise.
    pub(crate) fn inverse(&self, weights: Option<&[f64]>) -> Inverse {
        let p = self.jacobian.len();
        let gram = least_squares::gram(&self.jacobian, weights);
        let scale = least_squares::lengths(&gram);
        let mut noise = DMatrix::zeros(p, p);
        for (j, first) in self.gains.iter().enumerate() {
            for (k, second) in self.gains.iter().enumerate() {
                if let (Some(first), Some(second)) = (first, second) {
                    noise[(j, k)] = self.variance * weighted_dot(first, second, None);
                }
            }
        }
        least_squares::scaled_inverse(&(gram - noise), &scale)
    }

    /// Gauss–Newton step of the parameters after the first `n_linear`.
    pub(crate) fn step(
        &self,
        residual: &[f64],
        weights: Option<&[f64]>,
        n_linear: usize,
    ) -> Vec<f64> {
        let score = self.jacobian.iter().zip(&self.gains).map(|(column, gain)| {
            let noise = gain
                .as_ref()
                .map_or(0.0, |gain| weighted_dot(gain, &self.total, None));
            weighted_dot(column, residual, weights) + self.variance * noise
        });
        let score = DVector::from_iterator(self.jacobian.len(), score);
        let step = self.inverse(weights).matrix * score;
        step.as_slice()[n_linear..].to_vec()
    }
}

//! From influences to standard errors and intervals.
//!
//! An estimate's influence is what each sample moves it by: a = A⁻¹ ψ, with A the slope of the estimating equations Σ ψ = 0 (Huber 1967).
//! The covariance of their sum is the sandwich; it allows for unequal spread and, by [`hac`], for correlation.
//! Residuals are first divided by √(1 − h), h the leverage, so that few samples with much leverage do not look too good (MacKinnon and White 1985, HC2).

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::hac;

/// Largest leverage that is corrected for.
const LARGEST_LEVERAGE: f64 = 0.9;

/// The estimating equations at the solution.
pub(crate) struct Equations<'a> {
    /// dŷ/dparameter, `p` columns of `n`.
    pub(crate) jacobian: &'a [Vec<f64>],
    /// Residual of each row.
    pub(crate) residual: &'a [f64],
    /// ψ(u)/u of each row; `None`: all 1.
    pub(crate) weights: Option<&'a [f64]>,
    /// dψ/du of each row; `None`: all 1.
    pub(crate) slopes: Option<&'a [f64]>,
    /// The noisy column, its rows' share of the noise variance, and its coefficient.
    pub(crate) noisy: Option<(usize, &'a [f64], f64)>,
}

/// Influence of each sample on each parameter, `p` columns of `n`; sums to zero. `inverse` is A⁻¹.
pub(crate) fn influence(equations: &Equations, inverse: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let p = equations.jacobian.len();
    let n = equations.residual.len();
    let mut influence = vec![vec![0.0; n]; p];
    let mut row = vec![0.0; p];
    let mut score = vec![0.0; p];
    for i in 0..n {
        for (value, column) in row.iter_mut().zip(equations.jacobian) {
            *value = column[i];
        }
        let mut leverage = 0.0;
        for j in 0..p {
            for k in 0..p {
                leverage += row[j] * inverse[(j, k)] * row[k];
            }
        }
        leverage *= equations.slopes.map_or(1.0, |slopes| slopes[i]);
        let leverage = leverage.clamp(0.0, LARGEST_LEVERAGE);
        let error = equations.residual[i] * equations.weights.map_or(1.0, |weights| weights[i])
            / (1.0 - leverage).sqrt();
        for (value, entry) in score.iter_mut().zip(&row) {
            *value = entry * error;
        }
        if let Some((column, variance, coefficient)) = equations.noisy {
            score[column] += variance[i] * coefficient;
        }
        for (j, values) in influence.iter_mut().enumerate() {
            values[i] = (0..p).map(|k| inverse[(j, k)] * score[k]).sum();
        }
    }
    for values in &mut influence {
        let mean = values.iter().sum::<f64>() / n as f64;
        for value in values {
            *value -= mean;
        }
    }
    influence
}

/// Covariance of estimates with these influences, shape `[p, p]`.
pub(crate) fn covariance(influence: &[Vec<f64>]) -> DMatrix<f64> {
    hac::long_run_covariance(influence, hac::bandwidth(influence))
}

/// Adds what an uncertain number (standard error taken in) adds by moving the estimates by `change`.
pub(crate) fn add_uncertain(covariance: &mut DMatrix<f64>, change: &[f64]) {
    let change = DVector::from_column_slice(change);
    *covariance += &change * change.transpose();
}

/// Degrees of freedom of a variance estimate from these influences: 3 (Σ a²)² / Σ a⁴, which is n for Gaussian residuals of equal
/// leverage and less where few samples decide (Satterthwaite 1946); scaled by the share of samples that are independent.
pub(crate) fn freedom(influence: &[f64], n_parameters: usize, n_effective: f64) -> f64 {
    let (mut second, mut fourth) = (0.0, 0.0);
    let largest = influence
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let share = n_effective / influence.len().max(1) as f64;
    let most = (n_effective - n_parameters as f64).max(1.0);
    if largest <= 0.0 {
        return most;
    }
    for value in influence {
        let square = (value / largest).powi(2);
        second += square;
        fourth += square * square;
    }
    (3.0 * second * second / fourth * share).clamp(1.0, most)
}

/// Half-width of a 95 % interval, in standard errors.
pub(crate) fn half_width(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(1.96, |t| t.inverse_cdf(0.975))
}

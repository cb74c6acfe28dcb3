//! Standard errors and intervals from influence functions.
//!
//! The influence of a sample is the change of the estimate by it: a = A⁻¹ ψ, with A the slope of the estimating
//! equations Σ ψ = 0 (Huber 1967). The covariance of the sum is the sandwich; it is valid for heteroscedastic and, by
//! [`hac`], correlated residuals. Residuals are first divided by √(1 − h), with leverage h, because residuals of a
//! few samples with high leverage are too small (MacKinnon and White 1985, HC2).

use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{hac, tangent::Tangent};

/// Largest leverage in the correction.
const LARGEST_LEVERAGE: f64 = 0.9;

/// The estimating equations at the solution.
pub(crate) struct Equations<'a> {
    /// Slopes of the prediction.
    pub(crate) tangent: &'a Tangent,
    /// Residual of each row.
    pub(crate) residual: &'a [f64],
    /// ψ(u)/u of each row; `None`: all 1.
    pub(crate) weights: Option<&'a [f64]>,
    /// dψ/du of each row; `None`: all 1.
    pub(crate) slopes: Option<&'a [f64]>,
}

/// Number of rows per block, chosen so that a block stays in the cache.
const CHUNK: usize = 512;

/// Influence of each sample on each parameter, `p` columns of `n`; sums to zero. `inverse` is A⁻¹.
pub(crate) fn influence(equations: &Equations, inverse: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let tangent = equations.tangent;
    let p = tangent.jacobian.len();
    let n = equations.residual.len();
    let mut influence = vec![vec![0.0; n]; p];
    let mut error = [0.0; CHUNK];
    let mut score = [0.0; CHUNK];
    for start in (0..n).step_by(CHUNK) {
        let rows = start..(start + CHUNK).min(n);
        let size = rows.len();
        corrected_errors(equations, inverse, rows.clone(), &mut error[..size]);
        for k in 0..p {
            let column = &tangent.jacobian[k][rows.clone()];
            for ((score, entry), error) in score.iter_mut().zip(column).zip(&error) {
                *score = entry * error;
            }
            if let Some(gain) = &tangent.gains[k] {
                let gain = &gain[rows.clone()];
                let total = &tangent.total[rows.clone()];
                for ((score, gain), total) in score.iter_mut().zip(gain).zip(total) {
                    *score += tangent.variance * gain * total;
                }
            }
            for (j, values) in influence.iter_mut().enumerate() {
                let factor = inverse[(j, k)];
                for (value, score) in values[rows.clone()].iter_mut().zip(&score) {
                    *value += factor * score;
                }
            }
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

/// Weighted residuals of a range of rows over √(1 − leverage).
fn corrected_errors(
    equations: &Equations,
    inverse: &DMatrix<f64>,
    rows: Range<usize>,
    error: &mut [f64],
) {
    let columns = &equations.tangent.jacobian;
    error.fill(0.0);
    for j in 0..columns.len() {
        for k in 0..columns.len() {
            let factor = inverse[(j, k)];
            let (first, second) = (&columns[j][rows.clone()], &columns[k][rows.clone()]);
            for ((leverage, first), second) in error.iter_mut().zip(first).zip(second) {
                *leverage += factor * first * second;
            }
        }
    }
    for (row, error) in rows.zip(error) {
        let slope = equations.slopes.map_or(1.0, |slopes| slopes[row]);
        let weight = equations.weights.map_or(1.0, |weights| weights[row]);
        let leverage = (*error * slope).clamp(0.0, LARGEST_LEVERAGE);
        *error = equations.residual[row] * weight / (1.0 - leverage).sqrt();
    }
}

/// Covariance of estimates with these influences, shape `[p, p]`, for samples that were smoothed over a window (0:
/// not smoothed).
pub(crate) fn covariance(influence: &[Vec<f64>], smoothing: usize) -> DMatrix<f64> {
    if smoothing > 1 {
        let mut covariance = hac::of_smoothed(influence, smoothing);
        // If the estimate rests on few segments, the fit absorbs much of their residuals: scaled with the variance of
        // Student's t.
        let factors: Vec<f64> = influence
            .iter()
            .map(|values| smoothed_freedom(values, smoothing).max(4.0))
            .map(|freedom| (freedom / (freedom - 2.0)).sqrt())
            .collect();
        for (i, row) in factors.iter().enumerate() {
            for (j, column) in factors.iter().enumerate() {
                covariance[(i, j)] *= row * column;
            }
        }
        return covariance;
    }
    hac::long_run_covariance(influence, hac::bandwidth(influence))
}

/// Covariance from the scatter of sums over groups of samples (Liang and Zeger 1986); `starts` are the first samples
/// of the groups. Allows for any correlation within a group.
pub(crate) fn grouped_covariance(influence: &[Vec<f64>], starts: &[usize]) -> DMatrix<f64> {
    let p = influence.len();
    let n_groups = starts.len() as f64;
    let mut covariance = DMatrix::zeros(p, p);
    for (group, &start) in starts.iter().enumerate() {
        let sum = influence.iter().map(|values| {
            let end = starts.get(group + 1).copied().unwrap_or(values.len());
            values[start..end].iter().sum::<f64>()
        });
        let sum = DVector::from_iterator(p, sum);
        covariance += &sum * sum.transpose();
    }
    covariance * (n_groups / (n_groups - 1.0).max(1.0))
}

/// Adds the effect of an uncertain number; `change` is the change of the estimates per standard error.
pub(crate) fn add_uncertain(covariance: &mut DMatrix<f64>, change: &[f64]) {
    let change = DVector::from_column_slice(change);
    *covariance += &change * change.transpose();
}

/// Degrees of freedom of a variance estimate from these influences: 3 (Σ a²)² / Σ a⁴, which is n for Gaussian
/// residuals of equal leverage and less if few samples dominate (Satterthwaite 1946); scaled by the share of
/// independent samples.
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

/// Degrees of freedom for samples that were smoothed over a window: from sums over two windows, which are nearly
/// independent.
pub(crate) fn smoothed_freedom(influence: &[f64], window: usize) -> f64 {
    let sums: Vec<f64> = influence
        .chunks(2 * window)
        .map(|chunk| chunk.iter().sum())
        .collect();
    freedom(&sums, 0, sums.len() as f64)
}

/// Degrees of freedom beyond which Student's t equals a Gaussian to five digits; the quantile of statrs loses
/// accuracy there.
const GAUSSIAN: f64 = 1e5;

/// Half-width of a 95 % interval, in standard errors.
pub(crate) fn half_width(freedom: f64) -> f64 {
    if freedom > GAUSSIAN {
        return 1.959_963_985;
    }
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(1.959_963_985, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    //! Compared with the sandwich computed from matrices in numpy.
    use super::*;

    #[test]
    fn errors_are_those_of_the_sandwich() {
        let time: Vec<f64> = (0..30).map(f64::from).collect();
        let noise = time
            .iter()
            .map(|t| (1.3 * t).sin() + 0.5 * (0.7 * t * t).cos());
        let beta = [0.37733782, 1.98211718];
        let residual: Vec<f64> = time
            .iter()
            .zip(noise)
            .map(|(t, e)| 2.0 * t + e - beta[0] - beta[1] * t)
            .collect();
        let tangent = Tangent {
            jacobian: vec![vec![1.0; 30], time],
            gains: vec![None, None],
            total: Vec::new(),
            variance: 0.0,
        };
        let inverse = tangent.inverse(None);
        assert!((inverse.condition - 3.6262597029208035).abs() < 1e-9);
        let equations = Equations {
            tangent: &tangent,
            residual: &residual,
            weights: None,
            slopes: None,
        };
        let influence = influence(&equations, &inverse.matrix);
        for (lag, expected) in [(1, [0.24960057, 0.01427389]), (4, [0.17429269, 0.01110841])] {
            let covariance = hac::long_run_covariance(&influence, lag);
            for (j, expected) in expected.iter().enumerate() {
                let error = covariance[(j, j)].sqrt();
                assert!(
                    (error / expected - 1.0).abs() < 1e-6,
                    "{error} for {expected}"
                );
            }
        }
    }

    #[test]
    fn half_width_is_students() {
        // Tabulated values: t(0.975) with 10 degrees of freedom, and the Gaussian limit.
        assert!((half_width(10.0) - 2.228139).abs() < 1e-5);
        assert!((half_width(1e4) - 1.960201).abs() < 1e-5);
        assert!((half_width(1e7) - 1.959964).abs() < 1e-5);
    }

    #[test]
    fn groups_count_as_one_sample_each() {
        // Five equal samples in a row count as one: sums ±5 and variance 4 · 25 · 4/3.
        let influence: Vec<f64> = (0..20)
            .map(|i| if i / 5 % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let covariance = grouped_covariance(&[influence], &[0, 5, 10, 15]);
        assert!((covariance[(0, 0)] - 100.0 * 4.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn few_deciding_samples_leave_few_degrees_of_freedom() {
        let mut influence = vec![1e-6; 1000];
        influence[3] = 1.0;
        influence[7] = -1.0;
        assert!(freedom(&influence, 2, 1000.0) < 6.1);
    }
}

//! Tests of residuals: correlation, heteroscedasticity, shape, curvature.
//!
//! Durbin and Watson 1950; Ljung and Box 1978; Koenker's 1981 form of Breusch and Pagan 1979; Jarque and Bera 1980; Ramsey 1969.

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{
    hac,
    least_squares::{self, weighted_dot},
};

/// Lags of [`ljung_box`], at most a fifth of the samples.
const LAGS: usize = 10;
/// Beyond this number of rows, the two tests with a regression use every k-th row only: they do not need more.
const ROWS: usize = 50_000;

/// Maximum number of samples in the test of Ljung and Box.
const STRETCH: usize = 200_000;

/// Σ (eₜ − eₜ₋₁)² / Σ eₜ²; 2 if there are no residuals.
pub(crate) fn durbin_watson(residual: &[f64]) -> f64 {
    let total = weighted_dot(residual, residual, None);
    if total <= 0.0 {
        return 2.0;
    }
    residual
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).powi(2))
        .sum::<f64>()
        / total
}

/// Effective number of independent residuals: n γ₀ / Σ γₖ, between 1 and n.
pub(crate) fn effective_samples(residual: &[f64]) -> f64 {
    let n = residual.len() as f64;
    let series = [residual];
    let lag = hac::bandwidth(&series);
    let long_run = hac::long_run_covariance(&series, lag)[(0, 0)];
    let plain = weighted_dot(residual, residual, None);
    if long_run <= 0.0 || plain <= 0.0 {
        return n;
    }
    (n * plain / long_run).clamp(1.0, n)
}

/// p-value of the null hypothesis of no correlation up to [`LAGS`] lags.
pub(crate) fn ljung_box(residual: &[f64]) -> Option<f64> {
    // The order of neighbours matters: use a contiguous range from the middle instead of every k-th sample.
    let surplus = residual.len().saturating_sub(STRETCH) / 2;
    let residual = &residual[surplus..residual.len() - surplus];
    let n = residual.len();
    let lags = LAGS.min(n / 5);
    let mean = residual.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = residual.iter().map(|value| value - mean).collect();
    let variance = weighted_dot(&centred, &centred, None);
    if lags == 0 || variance <= 0.0 {
        return None;
    }
    let size = n as f64;
    let statistic = (1..=lags)
        .map(|lag| {
            let correlation = weighted_dot(&centred[lag..], &centred, None) / variance;
            correlation * correlation / (size - lag as f64)
        })
        .sum::<f64>()
        * size
        * (size + 2.0);
    upper_tail_chi_squared(statistic, lags as f64)
}

/// p-value of the null hypothesis of a Gaussian shape.
pub(crate) fn jarque_bera(residual: &[f64]) -> Option<f64> {
    let n = residual.len() as f64;
    let mean = residual.iter().sum::<f64>() / n;
    let (mut second, mut third, mut fourth) = (0.0, 0.0, 0.0);
    for value in residual {
        let centred = value - mean;
        let square = centred * centred;
        second += square;
        third += square * centred;
        fourth += square * square;
    }
    let variance = second / n;
    if variance <= 0.0 {
        return None;
    }
    let skewness = third / n / variance.powf(1.5);
    let kurtosis = fourth / n / variance.powi(2);
    upper_tail_chi_squared(
        n / 6.0 * (skewness.powi(2) + (kurtosis - 3.0).powi(2) / 4.0),
        2.0,
    )
}

/// p-value of the null hypothesis of a variance that does not depend on the regressors.
pub(crate) fn breusch_pagan(columns: &[Vec<f64>], residual: &[f64]) -> Option<f64> {
    let mut columns = columns.to_vec();
    let n = residual.len();
    columns.push(vec![1.0; n]);
    let squares: Vec<f64> = residual.iter().map(|value| value * value).collect();
    let mean = squares.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = squares.iter().map(|value| value - mean).collect();
    let total = weighted_dot(&centred, &centred, None);
    let gram = least_squares::gram(&columns, None);
    // A constant column already acts as the intercept.
    let open = least_squares::scaled_inverse(&gram, &least_squares::lengths(&gram)).undetermined;
    if open[open.len() - 1] {
        columns.pop();
    }
    let rank = columns.len() - 1;
    let left = sum_of_squares(&columns, &centred);
    if total <= 0.0 || rank == 0 {
        return None;
    }
    upper_tail_chi_squared(n as f64 * (1.0 - left / total).max(0.0), rank as f64)
}

/// p-value of the null hypothesis of no curvature: squares and cubes of the prediction explain nothing more (F test).
pub(crate) fn reset(columns: &[Vec<f64>], residual: &[f64], predicted: &[f64]) -> Option<f64> {
    let mut columns = columns.to_vec();
    let n = residual.len();
    let largest = predicted
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest <= 0.0 || n < columns.len() + 4 {
        return None;
    }
    let before = sum_of_squares(&columns, residual);
    columns.push(
        predicted
            .iter()
            .map(|value| (value / largest).powi(2))
            .collect(),
    );
    columns.push(
        predicted
            .iter()
            .map(|value| (value / largest).powi(3))
            .collect(),
    );
    let after = sum_of_squares(&columns, residual);
    let freedom = (n - columns.len()) as f64;
    if after <= 0.0 {
        return None;
    }
    let statistic = ((before - after) / 2.0 / (after / freedom)).max(0.0);
    // The upper tail of F with 2 and d degrees of freedom in closed form.
    let tail = (-0.5 * freedom * (2.0 * statistic / freedom).ln_1p()).exp();
    tail.is_finite().then_some(tail)
}

/// All applicable tests, by name. `columns` returns the regressors of every k-th row.
pub(crate) fn p_values(
    columns: impl Fn(usize) -> Vec<Vec<f64>>,
    residual: &[f64],
    predicted: &[f64],
) -> BTreeMap<&'static str, f64> {
    let stride = residual.len().div_ceil(ROWS).max(1);
    let every = |values: &[f64]| values.iter().copied().step_by(stride).collect::<Vec<f64>>();
    let (columns, thinned) = (columns(stride), every(residual));
    [
        ("ljung_box", ljung_box(residual)),
        ("breusch_pagan", breusch_pagan(&columns, &thinned)),
        ("jarque_bera", jarque_bera(residual)),
        ("reset", reset(&columns, &thinned, &every(predicted))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

fn upper_tail_chi_squared(statistic: f64, freedom: f64) -> Option<f64> {
    let tail = ChiSquared::new(freedom).ok()?.sf(statistic);
    tail.is_finite().then_some(tail)
}

fn sum_of_squares(columns: &[Vec<f64>], target: &[f64]) -> f64 {
    let p = columns.len();
    let solution = least_squares::solve(columns, target, None, &DMatrix::zeros(p, p), None);
    let left = least_squares::residual(columns, target, &solution);
    weighted_dot(&left, &left, None)
}

#[cfg(test)]
mod tests {
    //! Compared with the formulas computed in numpy and scipy.stats.
    use super::*;

    /// A synthetic series of 30 values, the same as in the reference.
    fn series() -> Vec<f64> {
        (0..30)
            .map(f64::from)
            .map(|t| (1.3 * t).sin() + 0.5 * (0.7 * t * t).cos())
            .collect()
    }

    fn close(value: Option<f64>, expected: f64) {
        let value = value.unwrap();
        assert!(
            (value - expected).abs() < 1e-6 * expected,
            "{value} for {expected}"
        );
    }

    #[test]
    fn tests_give_their_reference() {
        let time: Vec<f64> = (0..30).map(f64::from).collect();
        let square = time.iter().map(|t| t * t).collect();
        close(Some(durbin_watson(&series())), 1.5543452409445546);
        close(ljung_box(&series()), 1.0422149029498802e-5);
        close(jarque_bera(&series()), 0.7694627413691318);
        close(
            breusch_pagan(&[time, square], &series()),
            0.6026371019093519,
        );
    }

    #[test]
    fn a_constant_regressor_stands_for_the_mean() {
        let time: Vec<f64> = (0..30).map(f64::from).collect();
        let with = breusch_pagan(&[vec![2.0; 30], time.clone()], &series());
        close(with, breusch_pagan(&[time], &series()).unwrap());
    }

    #[test]
    fn curvature_is_found() {
        let time: Vec<f64> = (0..30).map(f64::from).collect();
        let target: Vec<f64> = time
            .iter()
            .zip(series())
            .map(|(t, e)| 2.0 * t + 0.05 * t * t + e)
            .collect();
        let slope = weighted_dot(&time, &target, None) / weighted_dot(&time, &time, None);
        let predicted: Vec<f64> = time.iter().map(|t| slope * t).collect();
        let residual: Vec<f64> = target.iter().zip(&predicted).map(|(y, p)| y - p).collect();
        // Far in the tail, the last digits depend on the order of summation.
        let p = reset(&[time], &residual, &predicted).unwrap();
        assert!(
            (p.log10() - 3.0401569758121e-24_f64.log10()).abs() < 1e-3,
            "{p}"
        );
    }

    #[test]
    fn correlated_samples_count_less() {
        let held: Vec<f64> = (0..3000)
            .map(|i| ((f64::from(i / 10) * 12.9898).sin() * 43758.5453).fract())
            .collect();
        let n = effective_samples(&held);
        // Ten equal neighbours count as one; the automatic bandwidth is correct within a factor of two.
        assert!((150.0..600.0).contains(&n), "{n}");
    }

    #[test]
    fn no_residual_breaks_nothing() {
        let zero = vec![0.0; 30];
        assert_eq!(durbin_watson(&zero), 2.0);
        assert_eq!(effective_samples(&zero), 30.0);
        assert_eq!((ljung_box(&zero), jarque_bera(&zero)), (None, None));
    }
}

//! Variance of a sum of correlated terms (Newey and West 1987, Eq. 5), with Andrews' 1991 automatic bandwidth.
//!
//! ```text
//! V = Σ_{|k|<L} (1 − |k|/L) Σ_t g_t g_{t+k}ᵀ = (1/L) Σ_t s_t s_tᵀ,   s_t = g_{t−L+1} + … + g_t
//! ```
//!
//! The right-hand side uses sums over moving blocks of L samples with zeros beyond the ends. It is the same number in
//! O(n) time for any L.

use nalgebra::DMatrix;

use super::least_squares::weighted_dot;

/// Number of blocks that are summed at a time.
const CHUNK: usize = 1024;

/// Standard deviation of the sum of influences.
pub(crate) fn deviation(influence: &[f64]) -> f64 {
    let series = [influence];
    long_run_covariance(&series, bandwidth(&series))[(0, 0)]
        .max(0.0)
        .sqrt()
}

/// V of series of equal length, shape `[p, p]`; `lag` L is at least 1 (no correlation).
pub(crate) fn long_run_covariance<S: AsRef<[f64]>>(series: &[S], lag: usize) -> DMatrix<f64> {
    let p = series.len();
    let n = series.first().map_or(0, |values| values.as_ref().len());
    let lag = lag.clamp(1, n.max(1));
    let mut covariance = DMatrix::zeros(p, p);
    let mut sums = vec![vec![0.0; CHUNK]; p];
    let mut last = vec![0.0; p];
    let end = n + lag - 1;
    for start in (0..end).step_by(CHUNK) {
        let size = CHUNK.min(end - start);
        for ((sums, last), values) in sums.iter_mut().zip(&mut last).zip(series) {
            let values = values.as_ref();
            for (offset, sum) in sums[..size].iter_mut().enumerate() {
                let t = start + offset;
                *last += values.get(t).copied().unwrap_or_default();
                if t >= lag {
                    *last -= values[t - lag];
                }
                *sum = *last;
            }
        }
        for i in 0..p {
            for j in 0..=i {
                covariance[(i, j)] += weighted_dot(&sums[i][..size], &sums[j][..size], None);
            }
        }
    }
    covariance /= lag as f64;
    covariance.fill_upper_triangle_with_lower_triangle();
    covariance
}

/// L of [`long_run_covariance`]: Andrews 1991, Eq. 6.4 for Bartlett's kernel and first-order autoregressions, at most a fifth of the series.
pub(crate) fn bandwidth<S: AsRef<[f64]>>(series: &[S]) -> usize {
    let n = series.first().map_or(0, |values| values.as_ref().len());
    if n < 8 {
        return 1;
    }
    let (mut above, mut below) = (0.0, 0.0);
    for values in series {
        let values = values.as_ref();
        let variance = weighted_dot(values, values, None);
        if variance <= 0.0 {
            continue;
        }
        let correlation = (weighted_dot(&values[1..], values, None) / variance).clamp(-0.99, 0.99);
        // The result must not depend on the scale of a series: its innovations have variance 1 − ρ² times its own,
        // which is set to 1.
        let innovation = (1.0 - correlation * correlation).powi(2);
        above += 4.0 * correlation * correlation * innovation
            / ((1.0 - correlation).powi(6) * (1.0 + correlation).powi(2));
        below += innovation / (1.0 - correlation).powi(4);
    }
    if below <= 0.0 {
        return 1;
    }
    let lag = 1.1447 * (above / below * n as f64).cbrt();
    (lag.ceil() as usize + 1).clamp(1, (n / 5).max(1))
}

/// Half of the flat kernel spans this number of smoothing windows, so that it keeps the correlation of the smoothing.
const SPAN: usize = 2;

/// V of series that were smoothed over a window of samples, which correlates them. The bandwidth comes from sums over
/// windows; the kernel of Politis and Romano 1995 is flat over half of it, 2 V(L) − V(L/2). The result is corrected
/// for the variance that the mean of the series absorbs.
pub(crate) fn of_smoothed(series: &[Vec<f64>], window: usize) -> DMatrix<f64> {
    let n = series.first().map_or(0, Vec::len);
    let sums: Vec<Vec<f64>> = series
        .iter()
        .map(|values| {
            values
                .chunks(window)
                .map(|chunk| chunk.iter().sum())
                .collect()
        })
        .collect();
    let half = (bandwidth(&sums) * window / 2)
        .max(SPAN * window)
        .min(n / 10)
        .max(1);
    let mut covariance = long_run_covariance(series, 2 * half);
    let sharp = long_run_covariance(series, half);
    let back = 1.0 / (1.0 - 3.0 * half as f64 / n.max(1) as f64);
    // Scaled row by row, because a difference of covariances may not be positive definite.
    let scale: Vec<f64> = (0..series.len())
        .map(|j| {
            let long = covariance[(j, j)];
            let flat = (2.0 * long - sharp[(j, j)]) / long.max(f64::MIN_POSITIVE);
            (flat.max(1.0) * back).sqrt()
        })
        .collect();
    for (i, row) in scale.iter().enumerate() {
        for (j, column) in scale.iter().enumerate() {
            covariance[(i, j)] *= row * column;
        }
    }
    covariance
}

#[cfg(test)]
mod tests {
    //! Compared with sums of lagged products computed in numpy.
    use super::*;

    /// A synthetic series of 30 values, the same as in the reference.
    fn series() -> Vec<f64> {
        (0..30)
            .map(f64::from)
            .map(|t| (1.3 * t).sin() + 0.5 * (0.7 * t * t).cos())
            .collect()
    }

    fn close(value: f64, expected: f64) {
        assert!(
            (value - expected).abs() < 1e-7 * expected.abs(),
            "{value} for {expected}"
        );
    }

    #[test]
    fn covariance_is_that_of_bartlett_weights() {
        let first = series();
        let second: Vec<f64> = first
            .iter()
            .enumerate()
            .map(|(t, e)| e * t as f64)
            .collect();
        close(long_run_covariance(&[&first], 1)[(0, 0)], 12.92164031);
        close(long_run_covariance(&[&first], 4)[(0, 0)], 8.26773929);
        let both = long_run_covariance(&[first, second], 5);
        close(both[(0, 0)], 6.85164564);
        close(both[(0, 1)], 88.09757748);
        close(both[(1, 0)], 88.09757748);
        close(both[(1, 1)], 2020.94211356);
    }

    #[test]
    fn blocks_across_chunks_are_the_same_sum() {
        let long: Vec<f64> = (0..3000).map(|t| (0.37 * f64::from(t)).sin()).collect();
        let lag = 7;
        let direct: f64 = (0..lag)
            .map(|k| {
                let product: f64 = long[k..].iter().zip(&long).map(|(a, b)| a * b).sum();
                let weight = 1.0 - k as f64 / lag as f64;
                if k == 0 {
                    product
                } else {
                    2.0 * weight * product
                }
            })
            .sum();
        close(long_run_covariance(&[long], lag)[(0, 0)], direct);
    }

    #[test]
    fn smoothing_leaves_the_variance_of_the_sum() {
        // Noise of variance 1 as a running mean of 20: the sum of n still has variance n. Spread of the estimate: √(2
        // · 1.5 · 80 / n).
        let mut state = 1_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5) * 12.0_f64.sqrt()
        };
        let noise: Vec<f64> = (0..40_000).map(|_| draw()).collect();
        let smooth: Vec<f64> = noise
            .windows(20)
            .map(|window| window.iter().sum::<f64>() / 20.0)
            .collect();
        let found = of_smoothed(&[smooth], 20)[(0, 0)] / 40_000.0;
        assert!((found - 1.0).abs() < 0.2, "{found}");
    }

    #[test]
    fn bandwidth_follows_andrews() {
        // An alternating series and a slow sine are the two extremes; a series with ρ = 0.5 exactly is hard to construct.
        let alternating: Vec<f64> = (0..400)
            .map(|t| if t % 4 < 2 { 1.0 } else { -1.0 })
            .collect();
        assert!(bandwidth(&[alternating]) <= 2);
        let slow: Vec<f64> = (0..400).map(|t| (0.05 * f64::from(t)).sin()).collect();
        assert_eq!(bandwidth(&[slow]), 80);
    }
}

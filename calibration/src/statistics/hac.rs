//! Variance of a sum of correlated terms (Newey and West 1987, Eq. 5), with Andrews' 1991 automatic bandwidth.
//!
//! ```text
//! V = Σ_{|k|<L} (1 − |k|/L) Σ_t g_t g_{t+k}ᵀ = (1/L) Σ_t s_t s_tᵀ,   s_t = g_{t−L+1} + … + g_t
//! ```
//!
//! The right-hand side, sums over moving blocks of L samples with zeros beyond the ends, is the same number in time O(n) whatever L is.

use nalgebra::DMatrix;

use super::least_squares::weighted_dot;

/// Blocks whose sums are made at a time.
const CHUNK: usize = 1024;

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
        // The scale of a series must not matter: its innovations have variance 1 − ρ² times its own, which is set to 1.
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

#[cfg(test)]
mod tests {
    //! Against sums of lagged products made outside (numpy).
    use super::*;

    /// A made-up series of 30, as in the reference.
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
    fn bandwidth_follows_andrews() {
        // ρ = 0.5 exactly by construction of the first two moments is hard; white noise and a slow sine show both ends.
        let alternating: Vec<f64> = (0..400)
            .map(|t| if t % 4 < 2 { 1.0 } else { -1.0 })
            .collect();
        assert!(bandwidth(&[alternating]) <= 2);
        let slow: Vec<f64> = (0..400).map(|t| (0.05 * f64::from(t)).sin()).collect();
        assert_eq!(bandwidth(&[slow]), 80);
    }
}

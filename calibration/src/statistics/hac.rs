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

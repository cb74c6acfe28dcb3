//! Covariances of fits whose residuals are correlated: friction that is not Coulomb's, cables and filters leave residuals that last.
//!
//! Scores (columns times residuals, summed over the joints of a sample) of samples near each other are taken together with Bartlett's weights (Newey, West 1987).
//! An excitation that repeats makes the same model error in every period, so samples of the same phase are near each other as well.

use nalgebra::{DMatrix, DVector};

/// Within this time residuals may be correlated [s]: five times what the filter of 5.4 Hz lasts, about the time between two reversals of an excitation.
const MEMORY_S: f64 = 0.5;
/// Shortest period that is looked for [s].
const SHORTEST_PERIOD_S: f64 = 2.0;
/// Longest period that is looked for [s]; excitations have 5 to 20 s.
const LONGEST_PERIOD_S: f64 = 60.0;
/// Most pairs of samples that are compared at a lag.
const MAX_PAIRS: usize = 2000;
/// Mean squared difference of positions a period apart, over their variance, below which the motion repeats.
const REPEATS: f64 = 1e-2;
/// 97.5 % quantile of the normal distribution, and the first term by which Student's is larger, times the degrees of freedom: (z³ + z) / 4.
pub(super) const NORMAL_QUANTILE: f64 = 1.96;
const STUDENT_TERM: f64 = 2.37;

/// What the samples of a fit have to do with each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// Time between samples [s].
    pub(super) spacing_s: f64,
    /// After which the motion repeats [s], if it does within the log.
    pub(super) period_s: Option<f64>,
}

impl Timing {
    /// By how much Student's quantile for this many stretches is above the normal one.
    pub(super) fn student(&self, n_samples: usize) -> f64 {
        let duration = self.spacing_s * n_samples as f64;
        let new = self
            .period_s
            .map_or(duration, |period| period.min(duration));
        let freedom = (new / MEMORY_S).max(3.0);
        1.0 + STUDENT_TERM / NORMAL_QUANTILE / freedom
    }

    /// Bartlett's weight of two samples, by the time or by the phase between them.
    fn weight(&self, samples_apart: usize, folded: bool) -> f64 {
        let mut apart = self.spacing_s * samples_apart as f64;
        if let (true, Some(period)) = (folded, self.period_s) {
            let phase = apart.rem_euclid(period);
            apart = phase.min(period - phase);
        }
        (1.0 - apart / MEMORY_S).max(0.0)
    }
}

/// The largest of three estimates of Σ of scores' products: samples independent, near in time, near in phase. One row per sample in `scores`.
///
/// Largest by the trace of `seen` meat `seenᵀ`, where `seen` makes what is wanted of the scores' sum.
pub(super) fn covariance(
    scores: &DMatrix<f64>,
    seen: &DMatrix<f64>,
    timing: &Timing,
) -> DMatrix<f64> {
    // What is wanted is small: project first.
    let projected = scores * seen.transpose();
    let independent = projected.transpose() * &projected;
    let near = |folded: bool| {
        let n = projected.nrows();
        let mut sum = DMatrix::zeros(projected.ncols(), projected.ncols());
        for sample in 0..n {
            let mut others = DVector::zeros(projected.ncols());
            for other in 0..n {
                let weight = timing.weight(sample.abs_diff(other), folded);
                if weight > 0.0 {
                    others.axpy(weight, &projected.row(other).transpose(), 1.0);
                }
            }
            sum += projected.row(sample).transpose() * others.transpose();
        }
        sum
    };
    let mut largest = independent;
    for folded in [false, true] {
        if folded && timing.period_s.is_none() {
            continue;
        }
        // Each entry of the diagonal counts for itself: an interval is never narrower than that of independent samples.
        let estimate = near(folded);
        let scale = DVector::from_fn(largest.nrows(), |index, _| {
            let (old, new): (f64, f64) = (largest[(index, index)], estimate[(index, index)]);
            if old > 0.0 && new > old {
                (new / old).sqrt()
            } else {
                1.0
            }
        });
        for row in 0..largest.nrows() {
            for column in 0..largest.ncols() {
                largest[(row, column)] *= scale[row] * scale[column];
            }
        }
    }
    largest
}

/// The time after which positions (one series per joint) repeat [s], if they do at least once.
pub(super) fn period(positions: &[Vec<f64>], rate_hz: f64) -> Option<f64> {
    let n = positions.first().map_or(0, Vec::len);
    let first = (SHORTEST_PERIOD_S * rate_hz).ceil() as usize;
    // Half a second of overlap at least; steps that a filtered motion does not notice.
    let last = n
        .saturating_sub((MEMORY_S * rate_hz) as usize)
        .min((LONGEST_PERIOD_S * rate_hz) as usize);
    let step = (0.02 * rate_hz).ceil() as usize;
    let every = step.max(n / MAX_PAIRS);
    let difference = |lag: usize| -> f64 {
        let worst = positions.iter().map(|series| {
            let mean = series.iter().sum::<f64>() / n as f64;
            let variance = series.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            let pairs = series.iter().zip(&series[lag..]).step_by(every);
            let count = pairs.len().max(1) as f64;
            let apart = pairs.map(|(x, y)| (x - y).powi(2)).sum::<f64>() / count;
            if variance > 0.0 {
                apart / variance
            } else {
                0.0
            }
        });
        worst.fold(0.0, f64::max)
    };
    // The first lag at which it repeats, and from there the best near it.
    let mut lags = (first..last).step_by(step.max(1));
    let found = lags.find(|lag| difference(*lag) < REPEATS)?;
    let near = (found..last.min(found + 10 * step)).step_by(step.max(1));
    let best = near.min_by(|a, b| difference(*a).total_cmp(&difference(*b)))?;
    Some(best as f64 / rate_hz)
}

//! Covariances of fits with correlated residuals: non-Coulomb friction, cables and filters leave residuals that are correlated in time.
//!
//! Scores (columns times residuals, summed over the joints of a sample) of samples near each other are combined with Bartlett weights (Newey, West 1987).
//! A periodic excitation has the same model error in every period, so samples of the same phase also count as near each other.

use nalgebra::{DMatrix, DVector};

/// Time within which residuals may be correlated [s]: five times the duration of the 5.4 Hz filter, about the time between two reversals of an excitation.
const MEMORY_S: f64 = 0.5;
/// Shortest period in the search [s].
const SHORTEST_PERIOD_S: f64 = 2.0;
/// Longest period in the search [s]; excitations have periods of 5 to 20 s.
const LONGEST_PERIOD_S: f64 = 60.0;
/// Approximate maximum number of pairs of samples that are compared per lag.
const MAX_PAIRS: usize = 2000;
/// Mean squared difference of positions one lag apart, over their variance, below which the motion counts as periodic.
const REPEATS: f64 = 1e-2;
/// 97.5 % quantile of the normal distribution, and the first term of its difference to Student's quantile times the degrees of freedom: (z³ + z) / 4.
pub(super) const NORMAL_QUANTILE: f64 = 1.96;
const STUDENT_TERM: f64 = 2.37;

/// Timing of the samples of a fit, which determines their correlation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// Time between samples [s].
    pub(super) spacing_s: f64,
    /// Period of the motion [s]; `None` if it does not repeat within the log.
    pub(super) period_s: Option<f64>,
}

impl Timing {
    /// Ratio of Student's quantile, with one degree of freedom per `MEMORY_S` of new motion, to the normal quantile.
    pub(super) fn student(&self, n_samples: usize) -> f64 {
        let duration = self.spacing_s * n_samples as f64;
        let new = self
            .period_s
            .map_or(duration, |period| period.min(duration));
        let freedom = (new / MEMORY_S).max(3.0);
        1.0 + STUDENT_TERM / NORMAL_QUANTILE / freedom
    }

    /// Bartlett weight of two samples, by the time between them, or by the phase if `folded`.
    fn weight(&self, samples_apart: usize, folded: bool) -> f64 {
        let mut apart = self.spacing_s * samples_apart as f64;
        if let (true, Some(period)) = (folded, self.period_s) {
            let phase = apart.rem_euclid(period);
            apart = phase.min(period - phase);
        }
        (1.0 - apart / MEMORY_S).max(0.0)
    }
}

/// The largest of three estimates of the covariance of the sum of scores: independent samples, correlation in time, correlation in phase. `scores` has one row per sample.
///
/// `seen` maps the sum of scores to the estimates, and the result is the covariance of these estimates. Each diagonal entry takes its largest estimate.
pub(super) fn covariance(
    scores: &DMatrix<f64>,
    seen: &DMatrix<f64>,
    timing: &Timing,
) -> DMatrix<f64> {
    // The estimates have few entries, so project first.
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
        // Each diagonal entry is compared separately, so an interval is never narrower than with independent samples.
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

/// Period of the positions (one series per joint) [s]; `None` if they do not repeat.
pub(super) fn period(positions: &[Vec<f64>], rate_hz: f64) -> Option<f64> {
    let n = positions.first().map_or(0, Vec::len);
    let first = (SHORTEST_PERIOD_S * rate_hz).ceil() as usize;
    // Keep an overlap of at least half a second, and use lags in steps that are fine compared with a filtered motion.
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
    // Find the first lag at which the motion repeats, then the best lag near it.
    let mut lags = (first..last).step_by(step.max(1));
    let found = lags.find(|lag| difference(*lag) < REPEATS)?;
    let near = (found..last.min(found + 10 * step)).step_by(step.max(1));
    let best = near.min_by(|a, b| difference(*a).total_cmp(&difference(*b)))?;
    Some(best as f64 / rate_hz)
}

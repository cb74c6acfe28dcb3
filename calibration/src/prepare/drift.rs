//! Drift of the force's zero: a line through the free air before, between and after presses is removed.
//!
//! A sample is in air if its distance from the depth at a fifth of the largest force exceeds the further travel of
//! the press: force grows with at most the square of the depth, so the surface lies deeper than that.

use super::{
    bias,
    findings::Findings,
    noise::{median, running_mean, white_noise},
    options::ForceBias,
    slope,
    track::Track,
};
use crate::statistics::hac;

/// Minimum number of air samples on a side of the press for an estimate of the drift.
const FEWEST: usize = 20;
/// Drifts below this number of standard errors are not removed.
const STANDARD_ERRORS: f64 = 2.0;
/// Half window of the running mean.
const HALF: usize = 4;

/// Removes the drift about the middle of contact. Returns the bias there, or `None` if there is no drift or it cannot
/// be estimated.
pub(super) fn removed(
    track: &mut Track,
    option: ForceBias,
    findings: &mut Findings,
) -> Option<bias::BiasEstimate> {
    if option != ForceBias::Auto {
        return None;
    }
    let (air, first, last) = air(track)?;
    if track.stretches.is_empty() && air.iter().filter(|&&i| i < first).count() >= FEWEST {
        let is_one_sided = air.iter().filter(|&&i| i > last).count() < FEWEST;
        slope::removed(track, &air, is_one_sided, findings);
    }
    let middle = 0.5 * (track.time[first] + track.time[last]);
    let before: Vec<usize> = air.iter().copied().filter(|&i| i < first).collect();
    let n_after = air.iter().filter(|&&i| i > last).count();
    if before.len() < FEWEST {
        return None;
    }
    if n_after < FEWEST {
        let line = Line::through(track, &before);
        if line.slope.abs() > 4.0 * line.slope_error {
            findings.note(format!(
                "the force's zero drifts by {:.3} N/s before contact, and no free air after release tells how it goes on: its interval was widened; end the log in free air",
                line.slope
            ));
            let (value, error) = line.at(line.middle);
            return Some(bias::BiasEstimate {
                value,
                standard_error: error.hypot(line.slope * (middle - line.middle)),
            });
        }
        return None;
    }
    let line = Line::through(track, &air);
    if line.slope.abs() < STANDARD_ERRORS * line.slope_error {
        return None;
    }
    for (force, time) in track.force.iter_mut().zip(&track.time) {
        *force -= line.slope * (time - middle);
    }
    let (value, standard_error) = line.at(middle);
    findings.choose(
        "force drift",
        format!(
            "{:.2} ± {:.2} mN/s",
            1e3 * line.slope,
            1e3 * line.slope_error
        ),
        "line through the free air before, between and after presses, removed",
    );
    findings.choose(
        "force bias",
        format!("{value:.4} ± {standard_error:.4} N"),
        format!(
            "that line at the middle of contact, {} samples of free air",
            air.len()
        ),
    );
    Some(bias::BiasEstimate {
        value,
        standard_error,
    })
}

/// Samples certainly in air, and the first and last sample certainly in contact.
fn air(track: &Track) -> Option<(Vec<usize>, usize, usize)> {
    let n = track.force.len();
    let smooth = running_mean(&track.force, HALF);
    let still = median(track.force[..super::force_change::n_start(n)].to_vec());
    let low = smooth.iter().copied().fold(f64::MAX, f64::min);
    let rise = smooth.iter().copied().fold(f64::MIN, f64::max) - still;
    let white = white_noise(&track.force);
    if rise < 10.0 * white || still - low > 0.2 * rise + 6.0 * white {
        return None;
    }
    let sure = |value: &f64| *value - still > 0.2 * rise;
    let first = smooth.iter().position(sure)?;
    let deepest = track.depth.iter().copied().fold(f64::MIN, f64::max);
    let edge = track.surface.unwrap_or(2.0 * track.depth[first] - deepest);
    let last = track
        .depth
        .iter()
        .rposition(|depth| *depth >= track.depth[first])?;
    let air = (0..n).filter(|&i| track.depth[i] < edge).collect();
    Some((air, first, last))
}

/// A least-squares line of force over time, with errors that allow for correlated noise.
struct Line {
    middle: f64,
    mean: f64,
    slope: f64,
    /// Influence of each sample on mean and slope.
    influence: [Vec<f64>; 2],
    slope_error: f64,
}

impl Line {
    fn through(track: &Track, samples: &[usize]) -> Self {
        let n = samples.len() as f64;
        let sum = |of: &dyn Fn(usize) -> f64| samples.iter().map(|&i| of(i)).sum::<f64>();
        let middle = sum(&|i| track.time[i]) / n;
        let mean = sum(&|i| track.force[i]) / n;
        let lever = |i: usize| track.time[i] - middle;
        let power = sum(&|i| lever(i).powi(2)).max(f64::MIN_POSITIVE);
        let slope = sum(&|i| lever(i) * (track.force[i] - mean)) / power;
        let left = |i: usize| track.force[i] - mean - slope * lever(i);
        let influence = [
            samples.iter().map(|&i| left(i) / n).collect(),
            samples
                .iter()
                .map(|&i| left(i) * lever(i) / power)
                .collect::<Vec<f64>>(),
        ];
        let slope_error = hac::deviation(&influence[1]);
        Self {
            middle,
            mean,
            slope,
            influence,
            slope_error,
        }
    }

    /// Value and standard error at a time.
    fn at(&self, time: f64) -> (f64, f64) {
        let lever = time - self.middle;
        let [mean, slope] = &self.influence;
        let influence: Vec<f64> = mean.iter().zip(slope).map(|(m, s)| m + s * lever).collect();
        (self.mean + self.slope * lever, hac::deviation(&influence))
    }
}

//! Force clipped at the sensor's limit: runs at the largest value that are not a hold under constant load.
//!
//! A clipped sample is censored: its force is the limit or more. If only the samples at the limit were left out,
//! their remaining neighbours would be those with negative noise. So the whole segment in which the force is near the
//! limit is left out: the selection does not depend on the noise.

use super::{findings::Findings, noise::white_noise, options::ForceLatency, track::Track};
use crate::CalibrationError;

/// Number of equal samples in a row that noise does not produce.
const RUN: usize = 5;
/// Maximum saturated share of a log; with more it is refused.
const MOST: f64 = 0.5;
/// Standard deviations of the noise below the limit within which noise may clip a sample: one in 30 000.
const NEAR: f64 = 4.0;

/// A run in which the probe moves by less than this share of its travel is a hold under constant load: a testing
/// machine controls the force. If it was clipped nevertheless, at most about this share of the largest force is
/// missing.
const STILL: f64 = 1e-3;

/// Times of samples whose force is clipped [s], increasing.
pub(super) fn clipped(
    track: &Track,
    findings: &mut Findings,
) -> Result<Vec<f64>, CalibrationError> {
    let force = &track.force;
    let limit = force.iter().fold(f64::MIN, |most, value| most.max(*value));
    let travel = range(&track.depth);
    let (mut elsewhere, mut runs) = (0, Vec::new());
    let mut start = 0;
    for end in 1..=force.len() {
        if end < force.len() && force[end] == force[start] {
            continue;
        }
        if end - start >= RUN {
            if force[start] == limit {
                runs.push(start..end);
            } else {
                elsewhere += end - start;
            }
        }
        start = end;
    }
    // A log without noise, or with coarse steps, repeats values everywhere: then only runs during which the probe
    // moves count.
    let quiet = elsewhere * 20 > force.len();
    let least = if quiet { 0.02 } else { STILL };
    let clipped: Vec<usize> = runs
        .into_iter()
        .filter(|run| range(&track.depth[run.clone()]) > least * travel)
        .flatten()
        .collect();
    if clipped.is_empty() {
        return Ok(Vec::new());
    }
    let share = clipped.len() as f64 / force.len() as f64;
    let found = format!(
        "{} samples ({:.1} %) are clipped at {limit:.4} N",
        clipped.len(),
        100.0 * share
    );
    if share > MOST {
        return Err(findings.refuse(format!(
            "{found}: the force sensor was saturated; press more softly, or set its range wider"
        )));
    }
    // If the force just reaches the limit, noise prevents a run there.
    let at_limit: Vec<usize> = (0..force.len())
        .filter(|&index| force[index] == limit)
        .collect();
    let near = limit - NEAR * noise_below(force, limit);
    let stretches = stretches(&at_limit, |index| force[index] >= near, force.len());
    findings.note(format!(
        "{found}; they and {} next to them, which noise may clip, were left out: what the tissue does beyond is not known",
        stretches.len() - clipped.len()
    ));
    Ok(stretches.into_iter().map(|row| track.time[row]).collect())
}

/// Standard deviation of the noise below the limit: samples at the limit show none.
fn noise_below(force: &[f64], limit: f64) -> f64 {
    let below: Vec<&[f64]> = force
        .split(|value| *value == limit)
        .filter(|run| run.len() > 2)
        .collect();
    let n: usize = below.iter().map(|run| run.len()).sum();
    let squares: f64 = below
        .iter()
        .map(|run| run.len() as f64 * white_noise(run).powi(2))
        .sum();
    (squares / n.max(1) as f64).sqrt()
}

/// Rows of a track whose force was recorded at one of these times, or interpolated from them after correction of a
/// latency; increasing.
pub(super) fn rows(clipped: &[f64], time: &[f64], latency: Option<ForceLatency>) -> Vec<usize> {
    let latency = match latency {
        Some(ForceLatency::Known(latency)) => latency,
        _ => 0.0,
    };
    let at = |row: usize| time[row.min(time.len() - 1)] + latency;
    let reach = usize::from(latency != 0.0);
    (0..time.len())
        .filter(|&row| {
            // A force between two samples depends on both.
            let next = clipped.partition_point(|clipped| *clipped < at(row.saturating_sub(reach)));
            clipped
                .get(next)
                .is_some_and(|clipped| *clipped <= at(row + reach))
        })
        .collect()
}

/// The samples with all neighbours `near` the limit, up to [`RUN`] other samples in a row, and the samples after them
/// that mark the end; increasing.
fn stretches(clipped: &[usize], near: impl Fn(usize) -> bool, n: usize) -> Vec<usize> {
    let mut left_out = vec![false; n];
    for &index in clipped {
        left_out[index] = true;
    }
    let mut spread = |order: &mut dyn Iterator<Item = usize>| {
        // Samples since the last one that was left out or near the limit, in a segment that has one.
        let mut far = RUN + 1;
        for index in order {
            if left_out[index] || far <= RUN && near(index) {
                far = 0;
                left_out[index] = true;
            } else {
                far += 1;
            }
        }
    };
    spread(&mut (0..n));
    spread(&mut (0..n).rev());
    let stretches: Vec<usize> = (0..n).filter(|&index| left_out[index]).collect();
    // The samples that ended a segment were low, possibly by noise: keeping them would be a selection by noise.
    spread_by(&stretches, RUN + 1, n)
}

/// The samples extended by `reach` on either side, within `n`, because smoothing spreads them; increasing.
pub(super) fn spread_by(clipped: &[usize], reach: usize, n: usize) -> Vec<usize> {
    let mut wider = Vec::with_capacity(clipped.len());
    for &index in clipped {
        let next = wider.last().map_or(0, |last: &usize| *last + 1);
        wider.extend(next.max(index.saturating_sub(reach))..(index + reach + 1).min(n));
    }
    wider
}

fn range(values: &[f64]) -> f64 {
    let limits = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    limits.1 - limits.0
}

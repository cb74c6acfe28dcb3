//! Force clipped at the sensor's limit: runs at the largest value that are not a hold.

use super::{findings::Findings, track::Track};
use crate::CalibrationError;

/// Equal samples in a row that noise does not make.
const RUN: usize = 5;
/// Share of a log that may be saturated before it is refused.
const MOST: f64 = 0.05;

/// A run in which the probe moves by a smaller share of its travel is a hold under a constant load: a testing machine keeps the force.
/// If it was clipped all the same, it lacks no more than about this share of the largest force.
const STILL: f64 = 1e-3;

/// Indices of samples whose force is clipped, increasing.
pub(super) fn clipped(
    track: &Track,
    findings: &mut Findings,
) -> Result<Vec<usize>, CalibrationError> {
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
    // A log without noise, or with coarse steps, repeats values everywhere: there only a run during which the probe moves counts.
    let quiet = elsewhere * 20 > force.len();
    let least = if quiet { 0.02 } else { STILL };
    let clipped: Vec<usize> = runs
        .into_iter()
        .filter(|run| range(&track.depth[run.clone()]) > least * travel)
        .flatten()
        .collect();
    if clipped.is_empty() {
        return Ok(clipped);
    }
    let share = clipped.len() as f64 / force.len() as f64;
    let found = format!(
        "{} samples ({:.1} %) are clipped at {limit} N",
        clipped.len(),
        100.0 * share
    );
    if share > MOST {
        return Err(findings.refuse(format!(
            "{found}: the force sensor was saturated; press more softly, or set its range wider"
        )));
    }
    findings.note(format!("{found} and were left out"));
    Ok(clipped)
}

fn range(values: &[f64]) -> f64 {
    let limits = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    limits.1 - limits.0
}

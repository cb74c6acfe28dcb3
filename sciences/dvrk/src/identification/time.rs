//! Sample times from the time column of a log, with resampling to an even rate.

use super::motion_log::{MotionLog, RATES};
use crate::error::DvrkError;
use crate::joints::{JointVector, N_JOINTS};

/// Units of time: the unit in seconds, and the steps between samples in this unit at the allowed rates.
const UNITS: [(f64, std::ops::Range<f64>); 4] = [
    (1.0, 1e-4..0.06),
    (1e-3, 0.06..60.0),
    (1e-6, 60.0..6e4),
    (1e-9, 6e4..6e7),
];
/// Longest gap between samples [s]: a quarter of the period of the fastest wave that the 5.4 Hz filter passes.
const LONGEST_GAP_S: f64 = 0.05;
/// Deviation from the even grid below which samples count as on it [steps].
const ON_GRID: f64 = 0.02;
/// Maximum relative difference between a given rate and the rate of the time column.
const SAME_RATE: f64 = 0.02;

/// Sets the rate of a log from its times (line or row, and time of each sample), and resamples it to even steps if necessary. `sample`: what
/// messages call a sample.
pub(super) fn apply(
    log: &mut MotionLog,
    sample: &str,
    times: &[(usize, f64)],
    given_hz: Option<f64>,
) -> Result<(), DvrkError> {
    let problem = |problem: String| DvrkError::Log {
        file: log.name.clone(),
        problem,
    };
    let n = times.len();
    if n < 2 {
        return Ok(());
    }
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
    for (index, step) in steps.iter().enumerate() {
        if *step <= 0.0 {
            let [(_, before), (line, now)] = [times[index], times[index + 1]];
            return Err(problem(format!(
                "{sample} {line}: column time is {now} after {before}; it must increase; sort the {sample}s by time, and keep one {sample} per time"
            )));
        }
    }
    let ordered = {
        let mut ordered = steps.clone();
        ordered.sort_unstable_by(f64::total_cmp);
        ordered
    };
    let median = ordered[ordered.len() / 2];
    let Some((unit, _)) = UNITS.iter().find(|(_, range)| range.contains(&median)) else {
        return Err(problem(format!(
            "column time grows by {median} per {sample}, so the rate is not between {} and {} Hz in s, ms, µs or ns",
            RATES[0], RATES[1]
        )));
    };
    for step in &mut steps {
        *step *= unit;
    }
    let median = median * unit;
    let longest = LONGEST_GAP_S.max(1.5 * median);
    if let Some(index) = steps.iter().position(|step| *step > longest) {
        return Err(problem(format!(
            "{sample}s {} to {}: the gap between samples is {:.3} s; it must be at most {longest:.3} s; cut the log there",
            times[index].0,
            times[index + 1].0,
            steps[index]
        )));
    }
    let start = times[0].1;
    let seconds: Vec<f64> = times
        .iter()
        .map(|(_, time)| (time - start) * unit)
        .collect();
    let duration = seconds[n - 1];
    let step = duration / (n - 1) as f64;
    let rate = 1.0 / step;
    if let Some(given) = given_hz
        && (given / rate - 1.0).abs() > SAME_RATE
    {
        return Err(problem(format!(
            "column time says {rate:.1} Hz, and the given rate is {given} Hz; leave the rate out, and the time column gives it"
        )));
    }
    let off = |index: usize| (seconds[index] / step - index as f64).abs();
    if (0..n).all(|index| off(index) < ON_GRID) {
        // The digits of the times limit this rate, so a given rate that agrees is more exact.
        let given = given_hz.filter(|given| (given / rate - 1.0).abs() < 1e-3);
        let round = (rate.round() / rate - 1.0).abs() < 1e-4;
        log.rate_hz = given.unwrap_or(if round { rate.round() } else { rate });
        return Ok(());
    }
    log.rate_hz = rate;
    // Stamps of an even recording may be uneven if a program stamps samples on arrival. Positions and velocities decide which is the case.
    let even = resampled(log, &seconds, step);
    if mismatch(&even) < mismatch(log) {
        *log = even;
    }
    Ok(())
}

/// The log resampled at multiples of `step` [s].
fn resampled(log: &MotionLog, seconds: &[f64], step: f64) -> MotionLog {
    let n = seconds.len();
    let mut even = log.clone();
    let mut next = 0;
    for sample in 0..n {
        let time = step * sample as f64;
        while next + 1 < n && seconds[next + 1] <= time {
            next += 1;
        }
        // Cubic interpolation through four neighbours.
        let first = next.saturating_sub(1).min(n.saturating_sub(4));
        let near = first..(first + 4).min(n);
        let weights: Vec<(usize, f64)> = near
            .clone()
            .map(|own| {
                let others = near.clone().filter(|other| *other != own);
                let product =
                    others.map(|other| (time - seconds[other]) / (seconds[own] - seconds[other]));
                (own, product.product())
            })
            .collect();
        let at = |values: &[JointVector]| {
            weights
                .iter()
                .fold(JointVector::zeros(), |sum, (index, weight)| {
                    sum + values[*index] * *weight
                })
        };
        even.q[sample] = at(&log.q);
        even.dq[sample] = at(&log.dq);
        even.tau[sample] = at(&log.tau);
    }
    even
}

/// Deviation of the positions from the trapezoidal integral of the velocities over one step, relative to the velocity of each joint.
fn mismatch(log: &MotionLog) -> f64 {
    (0..N_JOINTS)
        .map(|joint| {
            let (mut apart, mut square) = (0.0, 0.0);
            for index in 1..log.n_samples() {
                let mean = 0.5 * (log.dq[index][joint] + log.dq[index - 1][joint]);
                let rate = (log.q[index][joint] - log.q[index - 1][joint]) * log.rate_hz;
                apart += (rate - mean).powi(2);
                square += mean * mean;
            }
            if square > 0.0 { apart / square } else { 0.0 }
        })
        .sum()
}

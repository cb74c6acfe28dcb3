//! Checks that a log is usable: equal lengths, finite numbers, and channels that vary.

use super::{findings::Findings, values::Values};
use crate::{CalibrationError, Log};

/// Minimum number of samples for a calibration.
pub(super) const FEWEST: usize = 10;

/// The channels with their names.
fn channels(log: &Log) -> Vec<(&'static str, Values<'_>)> {
    let mut channels = vec![
        ("time", Values::Scalar(&log.time)),
        ("position", Values::of_position(log)),
        ("force", Values::of(&log.force)),
    ];
    channels.extend(
        log.velocity
            .iter()
            .map(|channel| ("velocity", Values::of(channel))),
    );
    channels
}

/// Refuses logs whose channels differ in length, because rows are selected from all of them.
pub(super) fn check_lengths(log: &Log, findings: &Findings) -> Result<(), CalibrationError> {
    let n = log.time.len();
    match channels(log)
        .into_iter()
        .find(|(_, values)| values.len() != n)
    {
        Some((name, values)) => Err(findings.refuse(format!(
            "{name} has {} samples; it must have {n}, as time has",
            values.len()
        ))),
        None => Ok(()),
    }
}

/// Refuses logs without usable numbers.
pub(super) fn check(log: &Log, findings: &Findings) -> Result<(), CalibrationError> {
    let n = log.time.len();
    if n < FEWEST {
        return Err(findings.refuse(format!(
            "the number of samples is {n}; it must be at least {FEWEST}"
        )));
    }
    check_lengths(log, findings)?;
    for (name, values) in channels(log) {
        if let Some(row) = values.not_finite() {
            return Err(findings.refuse(format!(
                "sample {} of {name} is not finite; remove the row",
                row + 1
            )));
        }
    }
    let (position, force) = (Values::of_position(log), Values::of(&log.force));
    if force.is_constant() {
        let zero = force.is_zero();
        return Err(findings.refuse(format!(
            "the force {}; check which column is the force and whether the sensor was on",
            if zero {
                "is 0 throughout"
            } else {
                "never changes"
            }
        )));
    }
    if position.is_constant() {
        return Err(findings.refuse(
            "the position never changes; check its column; a log of only a hold does not determine the stiffness",
        ));
    }
    Ok(())
}

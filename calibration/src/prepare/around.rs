//! The part of a log that a window needs: its samples, and neighbouring free air if the window contains none.
//!
//! Samples further away do not influence the preparation and cannot make it fail.

use super::{LogSegment, PreparedLog, findings::Findings, options::PrepareOptions, part, sanity};
use crate::{CalibrationError, Log};

/// Initial margin around the window [s]; doubled until it contains free air.
const REACH: f64 = 0.5;

/// Prepares the samples of a window.
pub(super) fn prepared(
    log: &Log,
    [from, to]: [f64; 2],
    options: &PrepareOptions,
) -> Result<PreparedLog, CalibrationError> {
    if from.partial_cmp(&to) != Some(std::cmp::Ordering::Less) {
        return Err(CalibrationError::option(
            "--window",
            format!("the window is {from} to {to} s; its end must be after its start"),
        ));
    }
    let findings = Findings::new(log.name());
    sanity::check_lengths(log, &findings)?;
    let within = |reach: f64| -> Vec<usize> {
        (0..log.len())
            .filter(|&row| (from - reach..=to + reach).contains(&log.time[row]))
            .collect()
    };
    let mut rows = within(0.0);
    if rows.len() < sanity::FEWEST {
        let limits = log.time.iter().filter(|time| time.is_finite());
        let (first, last) = limits.fold((f64::MAX, f64::MIN), |(low, high), time| {
            (low.min(*time), high.max(*time))
        });
        return Err(findings.refuse(format!(
            "only {} samples lie inside --window, {from} to {to} s; at least {} are needed, and the log goes from {first:.4} to {last:.4} s",
            rows.len(),
            sanity::FEWEST
        )));
    }
    // Air inside the window is preferred because it is the nearest.
    let alone = match part(&log.rows(&rows), options) {
        Ok(LogSegment {
            log,
            is_anchored: true,
        }) => return Ok(log),
        other => other,
    };
    let times = log.time.iter().filter(|time| time.is_finite());
    let furthest = times.fold(0.0, |most: f64, time| most.max(from - time).max(time - to));
    let mut reach = REACH;
    let mut last = None;
    while reach < 2.0 * furthest {
        let more = within(reach);
        if more.len() > rows.len() {
            rows = more;
            match part(&log.rows(&rows), options) {
                Ok(LogSegment {
                    log,
                    is_anchored: true,
                }) => return Ok(with_note(log, reach)),
                other => last = Some(other),
            }
        }
        reach *= 2.0;
    }
    // The log has no free air: use the window as it is, or report the error that holds for the whole log.
    match (alone, last) {
        (Ok(part), _) => Ok(part.log),
        (Err(_), Some(Ok(part))) => Ok(with_note(part.log, reach)),
        (Err(problem), _) => Err(problem),
    }
}

/// Adds a note about the samples used for the preparation.
fn with_note(mut log: PreparedLog, reach: f64) -> PreparedLog {
    log.notes.push(format!(
        "the samples inside --window hold no free air before contact: those up to {reach} s before and after it were used too, to find bias and contact"
    ));
    log
}

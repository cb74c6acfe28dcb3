//! A force that is older than the position beside it, shifted back in time.

use super::{findings::Findings, track::Track};
use crate::CalibrationError;

/// f(t) ← f(t + latency), linear between samples; samples that then have no force are dropped.
pub(super) fn shift(
    track: &mut Track,
    latency: f64,
    findings: &mut Findings,
) -> Result<(), CalibrationError> {
    if latency == 0.0 {
        return Ok(());
    }
    let (first, last) = (track.time[0], track.time[track.time.len() - 1]);
    if !latency.is_finite() || latency.abs() > 0.25 * (last - first) {
        return Err(CalibrationError::option(
            "--force-latency",
            format!(
                "{latency} s; at most a quarter of the log's {} s",
                last - first
            ),
        ));
    }
    let begin = track.time.partition_point(|time| time + latency < first);
    let end = track.time.partition_point(|time| time + latency <= last);
    let mut right = 1;
    let force: Vec<f64> = track.time[begin..end]
        .iter()
        .map(|time| {
            let wanted = time + latency;
            while right + 1 < track.time.len() && track.time[right] < wanted {
                right += 1;
            }
            let span = track.time[right] - track.time[right - 1];
            let share = (wanted - track.time[right - 1]) / span;
            track.force[right - 1] + share * (track.force[right] - track.force[right - 1])
        })
        .collect();
    track.force = force;
    for values in [&mut track.time, &mut track.depth]
        .into_iter()
        .chain(&mut track.velocity)
    {
        values.truncate(end);
        values.drain(..begin);
    }
    findings.choose("force latency", format!("{latency} s"), "given");
    Ok(())
}

/// The standard error of a latency [s], where it is one.
pub(super) fn checked(error: f64) -> Result<f64, CalibrationError> {
    if (0.0..=0.1).contains(&error) {
        Ok(error)
    } else {
        Err(CalibrationError::option(
            "--force-latency-error",
            format!("{error} s; 0 to 0.1 s are allowed"),
        ))
    }
}

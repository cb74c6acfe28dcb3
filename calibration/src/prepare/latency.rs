//! Corrects a force that is older than the position in the same row by a shift in time.

use super::{
    findings::Findings,
    options::{ForceLatency, PrepareOptions},
    track::Track,
};
use crate::{CalibrationError, interpolation};

/// Reason for the standard error of a latency that was not given.
const READ_WITHIN: &str = "read at any time within the same sample";

/// Applies the latency of the options and returns its standard error [s]; `hold` is the hold time of a channel and
/// the channel's name.
pub(super) fn taken_back(
    track: &mut Track,
    options: &PrepareOptions,
    interval: f64,
    hold: Option<(f64, &'static str)>,
    findings: &mut Findings,
) -> Result<f64, CalibrationError> {
    let (latency, error) = match (options.force_latency, options.force_latency_error) {
        (Some(ForceLatency::Fitted), _) => {
            return Err(CalibrationError::option(
                "--force-latency",
                "a latency is fitted with a law, not by the preparation alone",
            ));
        }
        (Some(ForceLatency::Known(latency)), error) => (latency, error),
        (None, error) => (0.0, error),
    };
    // Uniform distribution over a sampling interval, or over the hold time of a channel.
    let unknown = hold.map_or(interval, |(held, _)| held.max(interval));
    let error = error.unwrap_or(unknown / 12.0_f64.sqrt());
    if !(0.0..=LARGEST_ERROR).contains(&error) {
        return Err(CalibrationError::option(
            "--force-latency-error",
            format!("the error is {error} s; it must be between 0 and {LARGEST_ERROR} s"),
        ));
    }
    if latency != 0.0 {
        shift(track, latency)?;
    }
    let how = match (options.force_latency, options.force_latency_error, hold) {
        (_, None, Some((held, name))) => format!(
            "read at any time within the {:.1} ms for which the {name} is held",
            1e3 * held
        ),
        (_, None, None) => READ_WITHIN.to_owned(),
        (None, _, _) => "none".to_owned(),
        (Some(_), _, _) => "given".to_owned(),
    };
    let value = format!("{:.2} ± {:.2} ms", 1e3 * latency, 1e3 * error);
    findings.choose("force latency", value, how);
    Ok(error)
}

/// Maximum standard error of a latency [s].
const LARGEST_ERROR: f64 = 0.1;

/// f(t) ← f(t + latency); samples without a force after the shift are dropped.
fn shift(track: &mut Track, latency: f64) -> Result<(), CalibrationError> {
    let (first, last) = (track.time[0], track.time[track.time.len() - 1]);
    if !latency.is_finite() || latency.abs() > 0.25 * (last - first) {
        return Err(CalibrationError::option(
            "--force-latency",
            format!(
                "the latency is {latency} s; it must be between -{0} and {0} s, a quarter of the log",
                0.25 * (last - first)
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
            interpolation::at(&track.time, &track.force, right, wanted)
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
    for change in &mut track.changes {
        change.force.truncate(end);
        change.force.drain(..begin);
    }
    Ok(())
}

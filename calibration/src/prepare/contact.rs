//! Rough detection of contact: from the first sample above the noise back to where the force left it.

use super::{
    findings::Findings,
    force_change::n_start,
    noise::{mean_with_error, median, running_mean, white_noise},
    track::SampleRange,
};
use crate::CalibrationError;

/// Half window of the running mean; over 9 samples white noise is reduced to a third.
pub(super) const HALF: usize = 4;
/// Minimum number of samples before contact; with fewer, a log starts in contact.
const FEWEST_IN_AIR: usize = 10;
/// Below this number of samples before contact, three times the approach distance is required.
const FEW_IN_AIR: usize = 50;
/// Minimum approach distance through air, as a share of the press; with less, a log starts in contact.
const SHORTEST_APPROACH: f64 = 0.05;

/// Rough contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoughContact {
    /// First sample whose running mean stays above the noise.
    pub(super) onset: usize,
    /// First sample certainly in contact: a fifth of the largest force.
    pub(super) sure: usize,
    /// Free air before contact, with a margin.
    pub(super) air: SampleRange,
    /// Free air after the last release, with a margin; empty if there is none.
    pub(super) after: SampleRange,
    /// From onset to the last sample above the noise.
    pub(super) pressed: SampleRange,
    /// Standard deviation of the force in air [N].
    pub(super) noise: f64,
}

/// Finds contact in the force of a log that starts in free air; `None` if it starts in contact.
pub(super) fn rough(
    force: &[f64],
    depth: &[f64],
    findings: &Findings,
) -> Result<Option<RoughContact>, CalibrationError> {
    let n = force.len();
    let still = median(force[..n_start(n)].to_vec());
    let white = white_noise(force);
    let smooth = running_mean(force, HALF);
    let (low, high) = smooth
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    let (rise, fall) = (high - still, still - low);
    if fall > 0.2 * rise + 6.0 * white {
        return Ok(None);
    }
    if rise < 4.0 * white || rise <= 0.0 {
        return Err(findings.refuse(format!(
            "no contact found: the force rises by {:.3} N, within its noise of {white:.3} N; press harder, or check the force column and --sign",
            rise.max(0.0)
        )));
    }
    let sure = smooth
        .iter()
        .position(|value| value - still > 0.2 * rise)
        .unwrap_or(0);
    let threshold = still + (1.7 * white).max(1e-3 * rise);
    let onset = smooth[..sure]
        .iter()
        .rposition(|value| *value < threshold)
        .map_or(0, |index| index + 1);
    // On a preload the probe oscillates about the point at which the force first rises; in air it comes from further
    // away. The running mean rises up to half a window before the force.
    let begin = depth[(onset + HALF).min(sure)];
    let from = depth[..onset]
        .iter()
        .fold(begin, |low, value| low.min(*value));
    let to = depth.iter().fold(begin, |high, value| high.max(*value));
    let approach = (begin - from) / (to - begin);
    let enough = if onset < FEW_IN_AIR { 3.0 } else { 1.0 } * SHORTEST_APPROACH;
    if onset < FEWEST_IN_AIR || approach < enough {
        return Ok(None);
    }
    // Early contact hides in the noise: the last tenth before onset, at least 15 samples if available, is not counted
    // as air.
    let margin = (onset / 10).max(15).min(onset / 2);
    let air = SampleRange {
        start: 0,
        end: onset - margin,
    };
    if rises(&depth[..air.end], &force[..air.end], rise / (to - begin)) {
        return Ok(None);
    }
    let noise = mean_with_error(&force[..air.end]).2.max(1e-12 * rise);
    let last = smooth
        .iter()
        .rposition(|value| *value > still + (2.0 * noise).max(1e-3 * rise))
        .unwrap_or(n - 1);
    let settled = (last + 2 * HALF + 1 + (n - last) / 5).min(n);
    Ok(Some(RoughContact {
        onset,
        sure,
        air,
        after: SampleRange {
            start: settled,
            end: n,
        },
        pressed: SampleRange {
            start: onset,
            end: last + 1,
        },
        noise,
    }))
}

/// Largest plausible distance of a given surface from the onset of force, as a share of the press.
const ASTRAY: f64 = 0.5;

/// Refuses a surface given by the user if the force begins somewhere else.
pub(super) fn check_surface(
    force: &[f64],
    depth: &[f64],
    surface: f64,
    findings: &Findings,
) -> Result<(), CalibrationError> {
    // A surface beyond the deepest point has flipped the axis.
    for sense in [1.0, -1.0] {
        let turned = |values: &[f64]| values.iter().map(|value| sense * value).collect::<Vec<_>>();
        let (force, depth) = (turned(force), turned(depth));
        let Ok(Some(rough)) = rough(&force, &depth, findings) else {
            continue;
        };
        // The force may begin anywhere in the window of the running mean.
        let last = (rough.onset + HALF).min(depth.len() - 1);
        let (from, to) = (depth[rough.onset.saturating_sub(HALF)], depth[last]);
        let surface = sense * surface;
        let astray = surface.clamp(from.min(to), to.max(from)) - surface;
        let press = depth.iter().copied().fold(to, f64::max) - to;
        if astray.abs() <= ASTRAY * press {
            return Ok(());
        }
        return Err(findings.refuse(format!(
            "--surface lies {:.1} mm {} where the force begins, and the press is {:.1} mm deep: check its value and sign, or leave it out",
            1e3 * astray.abs(),
            if astray > 0.0 { "above" } else { "below" },
            1e3 * press
        )));
    }
    Ok(())
}

/// Whether force rises with depth by more than noise explains, and by at least a tenth of its slope in contact [N/m].
fn rises(depth: &[f64], force: &[f64], in_contact: f64) -> bool {
    let n = depth.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
    let (middle, level) = (mean(depth), mean(force));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (depth, force) in depth.iter().zip(force) {
        let (x, y) = (depth - middle, force - level);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    if xx == 0.0 {
        return false;
    }
    let slope = xy / xx;
    let error = ((yy - slope * xy).max(0.0) / (n - 2.0).max(1.0) / xx).sqrt();
    slope > 0.1 * in_contact && slope > 4.0 * error
}

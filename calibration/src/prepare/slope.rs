//! A force that depends on the position in free air: a hose or cable that pulls, a bias that depends on the pose, a
//! sensor that bends.
//!
//! ```text
//! f = b + a t + d z + h ż + m z̈        in air
//! ```
//!
//! fitted by least squares, with standard errors that allow for correlated noise. The terms in rate and acceleration
//! keep drag and inertia of a quick approach out of d; they are not removed. The line is extrapolated into the
//! tissue.

use super::{contact, findings::Findings, track::Track};
use crate::SampleChange;
use crate::statistics::hac::deviation;

/// Above this number of standard errors the air is detected again without the slope; the slope there is removed only
/// above `SIGNIFICANT`.
const SUSPECTED: f64 = 2.5;
const SIGNIFICANT: f64 = 5.0;
/// Standard errors of the slope in the half of the air further from the tissue, where early contact is impossible.
const FAR: f64 = 2.0;
/// Slopes further apart than this number of standard errors contradict each other.
const BENT: f64 = 4.0;
/// Columns below this number of standard errors are not significant.
const SEEN: f64 = 2.0;
/// Time over which rate and acceleration are computed as differences [s], and in samples.
const REACH: f64 = 0.04;
const SAMPLES: [f64; 2] = [4.0, 50.0];
/// A column is linearly dependent if the others leave less than this share of its length.
const NOTHING: f64 = 1e-4;

/// A slope [N per unit of its column] and its standard error.
#[derive(Clone, Copy)]
struct Slope {
    value: f64,
    error: f64,
}

impl Slope {
    fn beyond(self, errors: f64) -> bool {
        self.value.abs() > errors * self.error
    }
}

/// Removes the dependence of the force on the position in free air, if it is significant. If time and position cannot
/// be separated, half of the contribution of each is removed. `samples` are certainly in air; `is_one_sided`: all of
/// them before the press.
pub(super) fn removed(
    track: &mut Track,
    samples: &[usize],
    is_one_sided: bool,
    findings: &mut Findings,
) {
    let first = Lines::of(track, samples);
    if let Some(slope) = first.place.filter(|slope| slope.beyond(SUSPECTED)) {
        // Without the lines, contact marks the end of the air.
        let drift = first.time.filter(|drift| drift.beyond(SEEN));
        let drift = drift.map_or(0.0, |drift| drift.value);
        let cleared: Vec<f64> = (0..track.force.len())
            .map(|i| {
                let along = slope.value * (track.depth[i] - first.z0);
                track.force[i] - along - drift * (track.time[i] - first.t0)
            })
            .collect();
        let more = match track.surface {
            None => contact::rough(&cleared, &track.depth, findings)
                .ok()
                .flatten(),
            Some(_) => None,
        };
        let wider = more.map(|rough| {
            let ranges = [rough.air, rough.after];
            let samples = ranges.iter().flat_map(|range| range.start..range.end);
            Lines::of(track, &samples.collect::<Vec<usize>>())
        });
        let closer = |lines: &Lines| lines.place.is_some_and(|found| found.error < slope.error);
        let lines = wider
            .filter(closer)
            .unwrap_or_else(|| Lines::of(track, samples));
        if let Some(found) = lines.place.filter(|found| found.beyond(SIGNIFICANT))
            && lines.is_straight
            && (found.value - slope.value).abs() < BENT * found.error.hypot(slope.error)
        {
            remove(track, found, lines.z0, findings);
            return;
        }
    }
    if !is_one_sided || first.is_separable {
        return;
    }
    if let (Some(by_place), Some(by_time)) = (first.only_place, first.only_time)
        && by_place.beyond(SIGNIFICANT)
        && by_time.beyond(SIGNIFICANT)
    {
        halve(track, by_place, first.z0, by_time, first.t0, findings);
    }
}

/// Lines over position and time, fitted to samples of air.
struct Lines {
    /// Slope over the position, with time and, if significant, rate and acceleration as further regressors.
    place: Option<Slope>,
    /// Slope over time, with all others as further regressors.
    time: Option<Slope>,
    /// Whether the line over the position has the same slope in both halves of the travel.
    is_straight: bool,
    /// Whether time and position can be separated.
    is_separable: bool,
    /// Slope over the position without time as a regressor.
    only_place: Option<Slope>,
    only_time: Option<Slope>,
    z0: f64,
    t0: f64,
}

impl Lines {
    fn of(track: &Track, samples: &[usize]) -> Self {
        let place: Vec<f64> = samples.iter().map(|&i| track.depth[i]).collect();
        let time: Vec<f64> = samples.iter().map(|&i| track.time[i]).collect();
        let force: Vec<f64> = samples.iter().map(|&i| track.force[i]).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (rate, acceleration) = moving(track, samples);
        let all = |_: usize| true;
        let slope = |column: &[f64], others: &[&[f64]]| slope(column, &force, others, all);
        let full = slope(&place, &[&time, &rate, &acceleration]);
        let seen = |slope: Option<Slope>| slope.is_some_and(|slope| slope.beyond(SEEN));
        let moves = seen(slope(&rate, &[&time, &place, &acceleration]))
            || seen(slope(&acceleration, &[&time, &place, &rate]));
        // Insignificant rate and acceleration would reduce the accuracy of the slope.
        let found = if moves || !seen(full) {
            full
        } else {
            slope(&place, &[&time])
        };
        let by_time = slope(&time, &[&place, &rate, &acceleration]);
        let (least, most) = place.iter().fold((f64::MAX, f64::MIN), |(low, high), z| {
            (low.min(*z), high.max(*z))
        });
        let still: Vec<f64> = force
            .iter()
            .zip(&time)
            .map(|(force, t)| force - by_time.map_or(0.0, |slope| slope.value) * (t - time[0]))
            .collect();
        let half = |far: bool| {
            let inside = |row: usize| (place[row] < 0.5 * (least + most)) == far;
            let others: &[&[f64]] = if moves { &[&rate, &acceleration] } else { &[] };
            self::slope(&place, &still, others, inside)
        };
        let is_straight = match (half(true), half(false), found) {
            (Some(far), Some(near), Some(found)) => {
                far.beyond(FAR)
                    && far.value * found.value > 0.0
                    && (far.value - near.value).abs() < BENT * far.error.hypot(near.error)
            }
            _ => false,
        };
        Self {
            is_straight,
            is_separable: seen(full) || seen(by_time),
            only_place: slope(&place, &[&rate, &acceleration]),
            only_time: slope(&time, &[&rate, &acceleration]),
            place: found,
            time: by_time,
            z0: mean(&place),
            t0: mean(&time),
        }
    }
}

/// Rate and acceleration of the position at some samples, as differences over a short time.
fn moving(track: &Track, samples: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let n = track.time.len();
    let interval = (track.time[n - 1] - track.time[0]) / (n - 1) as f64;
    let half = (REACH / interval).round().clamp(SAMPLES[0], SAMPLES[1]) as usize;
    let half = half.min((n - 1) / 2);
    let differences = samples.iter().map(|&i| {
        let i = i.clamp(half, n - 1 - half);
        let (before, after) = (i - half, i + half);
        let rate = |from: usize, to: usize| {
            let span = (track.time[to] - track.time[from]).max(f64::MIN_POSITIVE);
            (track.depth[to] - track.depth[from]) / span
        };
        let span = (track.time[after] - track.time[before]).max(f64::MIN_POSITIVE);
        (
            rate(before, after),
            2.0 * (rate(i, after) - rate(before, i)) / span,
        )
    });
    differences.unzip()
}

/// Slope of a force over a column, with other columns and a constant as further regressors, over the kept rows
/// (Frisch and Waugh 1933); `None` if the column depends linearly on the others.
fn slope(
    column: &[f64],
    force: &[f64],
    others: &[&[f64]],
    kept: impl Fn(usize) -> bool,
) -> Option<Slope> {
    let rows: Vec<usize> = (0..column.len()).filter(|&row| kept(row)).collect();
    let pick = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let ones = vec![1.0; column.len()];
    for other in std::iter::once(&ones[..]).chain(others.iter().copied()) {
        let values = pick(other);
        let whole = dot(&values, &values).sqrt();
        let mut left = cleared(values, &basis);
        let length = dot(&left, &left).sqrt();
        if length > NOTHING * whole {
            for value in &mut left {
                *value /= length;
            }
            basis.push(left);
        }
    }
    let freedom = rows.len() as f64 - basis.len() as f64 - 1.0;
    if freedom < 1.0 {
        return None;
    }
    let centred = cleared(pick(column), &basis[..1]);
    let lever = cleared(pick(column), &basis);
    let power = dot(&lever, &lever);
    if power <= NOTHING * NOTHING * dot(&centred, &centred) || power <= 0.0 {
        return None;
    }
    let force = cleared(pick(force), &basis);
    let value = dot(&lever, &force) / power;
    let influence: Vec<f64> = lever
        .iter()
        .zip(&force)
        .map(|(lever, force)| lever * (force - value * lever) / power)
        .collect();
    Some(Slope {
        value,
        // Corrects the residuals for the number of fitted parameters.
        error: deviation(&influence) * (rows.len() as f64 / freedom).sqrt(),
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Values without their projections on orthonormal columns.
fn cleared(mut values: Vec<f64>, basis: &[Vec<f64>]) -> Vec<f64> {
    // Two passes of orthogonalisation are enough (Kahan).
    for _ in 0..2 {
        for unit in basis {
            let share = dot(unit, &values);
            for (value, unit) in values.iter_mut().zip(unit) {
                *value -= share * unit;
            }
        }
    }
    values
}

/// Removes a line over the position.
fn remove(track: &mut Track, slope: Slope, z0: f64, findings: &mut Findings) {
    let places = track.depth.clone();
    for (force, place) in track.force.iter_mut().zip(&places) {
        *force -= slope.value * (place - z0);
    }
    track.changes.push(SampleChange {
        stretch: 0.0,
        force: places.iter().map(|z| slope.error * (z - z0)).collect(),
    });
    findings.choose(
        "force baseline",
        format!("{:.2} ± {:.2} N/m", slope.value, slope.error),
        "line over the position through the free air, removed there and in the tissue",
    );
    findings.note(format!(
        "the force changes by {:.1} N/m with the position in free air (a hose, a cable, a bias that follows the pose): that was removed, in the tissue too; --bias none leaves it in",
        slope.value
    ));
}

/// Removes half of the contribution of each of two lines; the other halves are the error.
fn halve(
    track: &mut Track,
    by_place: Slope,
    z0: f64,
    by_time: Slope,
    t0: f64,
    findings: &mut Findings,
) {
    let lines: Vec<[f64; 2]> = track
        .depth
        .iter()
        .zip(&track.time)
        .map(|(z, t)| [by_place.value * (z - z0), by_time.value * (t - t0)])
        .collect();
    for (force, [place, time]) in track.force.iter_mut().zip(&lines) {
        *force -= 0.5 * (place + time);
    }
    track.changes.push(SampleChange {
        stretch: 0.0,
        force: lines.iter().map(|[p, t]| 0.5 * (p - t)).collect(),
    });
    track.changes.push(SampleChange {
        stretch: 0.0,
        force: track
            .depth
            .iter()
            .map(|z| by_place.error * (z - z0))
            .collect(),
    });
    findings.choose(
        "force baseline",
        format!("{:.2} N/m or {:.3} N/s", by_place.value, by_time.value),
        "line over position or time through the free air before contact, half of each removed",
    );
    findings.note(
        "the force changes in free air before contact, and the approach does not tell whether with time or with position: the intervals take in both; rest in free air before the press, and end the log there",
    );
}

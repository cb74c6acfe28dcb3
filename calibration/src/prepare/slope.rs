//! A force that changes with the position in free air: a hose or cable that pulls, a bias that follows the pose, a sensor that bends.
//!
//! ```text
//! f = b + a t + d z + h ż + m z̈        in air
//! ```
//!
//! by least squares, with standard errors that allow for correlated noise. Rate and acceleration keep drag and inertia of a quick approach
//! out of d; they are not removed. The line is taken to go on in the tissue.

use super::{drift::deviation, findings::Findings, noise::median, track::Track};
use crate::SampleChange;

/// Slopes below so many standard errors are left alone.
const BEYOND_DOUBT: f64 = 5.0;
/// The same for the half of the air further from the tissue, where early contact cannot be.
const FAR: f64 = 2.0;
/// Slopes of two halves of the air that are further apart than so many standard errors are no line.
const BENT: f64 = 4.0;
/// A time or a position that is told from the other has a slope above so many standard errors.
const TOLD: f64 = 3.0;
/// Time over which rate and acceleration are differences [s], and in samples.
const REACH: f64 = 0.04;
const SAMPLES: [f64; 2] = [4.0, 50.0];
/// Share of a column's length that others leave, below which it is one of them.
const NOTHING: f64 = 1e-4;

/// A slope [per unit of its column] and its standard error.
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

/// Columns of the samples in air.
struct Air<'a> {
    track: &'a Track,
    samples: &'a [usize],
    rate: Vec<f64>,
    acceleration: Vec<f64>,
}

impl<'a> Air<'a> {
    fn of(track: &'a Track, samples: &'a [usize]) -> Self {
        let n = track.time.len();
        let interval = (track.time[n - 1] - track.time[0]) / (n - 1) as f64;
        let half = (REACH / interval).round().clamp(SAMPLES[0], SAMPLES[1]) as usize;
        let differences = samples.iter().map(|&i| {
            let i = i.clamp(half.min(n / 2), n - 1 - half.min((n - 1) / 2));
            let (before, after) = (i.saturating_sub(half), (i + half).min(n - 1));
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
        let (rate, acceleration) = differences.unzip();
        Self {
            track,
            samples,
            rate,
            acceleration,
        }
    }

    /// Slope of the force over a column, next to others, over the rows that are kept; `None` where the others tell all of it.
    fn slope(
        &self,
        column: &[f64],
        others: &[&[f64]],
        kept: impl Fn(usize) -> bool,
    ) -> Option<Slope> {
        let rows: Vec<usize> = (0..self.samples.len()).filter(|&row| kept(row)).collect();
        let pick = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let cleared = |mut values: Vec<f64>, basis: &[Vec<f64>]| {
            // Twice is enough (Kahan).
            for _ in 0..2 {
                for unit in basis {
                    let share = dot(unit, &values);
                    for (value, unit) in values.iter_mut().zip(unit) {
                        *value -= share * unit;
                    }
                }
            }
            values
        };
        let ones = vec![1.0; self.samples.len()];
        for other in std::iter::once(&ones[..]).chain(others.iter().copied()) {
            let values = pick(other);
            let whole = dot(&values, &values).sqrt();
            let mut left = cleared(values, &basis);
            let length = dot(&left, &left).sqrt();
            if length > NOTHING * whole {
                left.iter_mut().for_each(|value| *value /= length);
                basis.push(left);
            }
        }
        let values = pick(column);
        let centred = cleared(values.clone(), &basis[..1.min(basis.len())]);
        let lever = cleared(values, &basis);
        let power = dot(&lever, &lever);
        if power <= NOTHING * NOTHING * dot(&centred, &centred) || power <= 0.0 {
            return None;
        }
        let force: Vec<f64> = self.samples.iter().map(|&i| self.track.force[i]).collect();
        let force = cleared(pick(&force), &basis);
        let value = dot(&lever, &force) / power;
        let influence: Vec<f64> = lever
            .iter()
            .zip(&force)
            .map(|(lever, force)| lever * (force - value * lever) / power)
            .collect();
        // As least squares takes from the residuals what its parameters fit.
        let freedom = rows.len() as f64 / (rows.len() as f64 - basis.len() as f64 - 1.0).max(1.0);
        Some(Slope {
            value,
            error: deviation(&influence) * freedom.sqrt(),
        })
    }
}

/// Removes what the force changes by with the position in free air, where that is beyond doubt; where time and position cannot be told
/// apart, half of what each explains. `is_one_sided`: there is air before the press only.
pub(super) fn removed(
    track: &mut Track,
    samples: &[usize],
    is_one_sided: bool,
    findings: &mut Findings,
) {
    let place: Vec<f64> = samples.iter().map(|&i| track.depth[i]).collect();
    let time: Vec<f64> = samples.iter().map(|&i| track.time[i]).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (z0, t0) = (mean(&place), mean(&time));
    let middle = median(place.clone());
    let air = Air::of(track, samples);
    let moving: [&[f64]; 2] = [&air.rate, &air.acceleration];
    let with = |other: &'_ [f64]| -> Vec<Vec<f64>> {
        vec![moving[0].to_vec(), moving[1].to_vec(), other.to_vec()]
    };
    let of = |column: &[f64], others: &[Vec<f64>], side: Option<bool>| {
        let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
        air.slope(column, &others, |row| {
            side.is_none_or(|far| (place[row] < middle) == far)
        })
    };
    let in_time = with(&time);
    let slope = of(&place, &in_time, None);
    if let Some(slope) = slope.filter(|slope| slope.beyond(BEYOND_DOUBT)) {
        let halves = [true, false].map(|far| of(&place, &in_time, Some(far)));
        let [Some(far), Some(near)] = halves else {
            return;
        };
        let bend = (far.value - near.value).abs();
        if !far.beyond(FAR)
            || far.value * slope.value < 0.0
            || bend > BENT * far.error.hypot(near.error)
        {
            return;
        }
        remove(track, slope, z0, findings);
        return;
    }
    if !is_one_sided {
        return;
    }
    // Each explains the force where the other is left out.
    let only = |column: &[f64]| {
        let moving = [moving[0].to_vec(), moving[1].to_vec()];
        of(column, &moving, None).filter(|slope| slope.beyond(BEYOND_DOUBT))
    };
    let (Some(by_place), Some(by_time)) = (only(&place), only(&time)) else {
        return;
    };
    let next_to_place = of(&time, &with(&place), None);
    let told = [slope, next_to_place];
    if told.iter().flatten().any(|slope| slope.beyond(TOLD)) {
        return;
    }
    halve(track, by_place, z0, by_time, t0, findings);
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

/// Removes half of what each of two lines explains, and takes the other halves for the error.
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
        format!(
            "{:.2} N/m or {:.3} N/s",
            by_place.value, by_time.value
        ),
        "line over position or time through the free air before contact, half of each removed",
    );
    findings.note(
        "the force changes in free air before contact, and the approach does not tell whether with time or with position: the intervals take in both; rest in free air before the press, and end the log there",
    );
}

//! A channel that is updated less often than the log is sampled, and repeats its value in between (sample and hold).
//!
//! A held value is as old as the time since its update, so only the samples at which the slowest channel changes are
//! used. A slow movement in coarse steps also repeats values. Two properties distinguish a hold: its updates come at
//! regular intervals at any speed, and its steps are proportional to the speed instead of a single quantum.

use std::borrow::Cow;

use super::{findings::Findings, noise::median, time::Clock, values::Values};
use crate::{Channel, Log, Motion};

/// Minimum number of runs of equal values for an estimate of the period.
const FEWEST: usize = 20;
/// Holds shorter than this [samples] add no age to the samples.
const SHORTEST: f64 = 1.5;
/// Runs within this factor of the median determine the period; longer runs come from a channel at rest.
const ALIKE: [f64; 2] = [0.4, 1.6];
/// Runs longer than this number of periods are ignored, because a whole number of periods is always near.
const LONGEST: f64 = 3.2;
/// Share of the runs that must last a whole number of periods, within one sample plus the share `JITTER` of the
/// period.
const REGULAR: f64 = 0.9;
const JITTER: f64 = 0.1;
/// `JITTER` applies to the part of a period beyond this number of samples.
const FINE: f64 = 4.0;
/// Share of the steps that must exceed `QUANTA` quanta.
const LARGE: f64 = 0.1;
const QUANTA: f64 = 1.5;
/// A held velocity is used if its hold is at most this factor longer than the holds of position and force.
const SLOW_VELOCITY: f64 = 1.5;
/// Share of repeated samples that is reported if the channel is not held.
const REPEATS: f64 = 0.5;

/// The hold of a channel.
struct Hold {
    /// Time between updates [s].
    period: f64,
    /// Samples of the log with an update, increasing; while the channel is at rest, the samples at which an update is
    /// due.
    updates: Vec<usize>,
}

/// The log after this step.
pub(super) struct HeldChannels<'a> {
    pub(super) log: Cow<'a, Log>,
    pub(super) clock: Clock,
    /// Longest hold of position or force [s], with the channel's name; `None` if neither is held.
    pub(super) hold: Option<(f64, &'static str)>,
}

/// The log at the updates of its slowest channel, with the other one interpolated between its own updates; borrowed
/// if nothing is held.
pub(super) fn at_updates<'a>(
    log: Cow<'a, Log>,
    clock: Clock,
    findings: &mut Findings,
) -> HeldChannels<'a> {
    let position = Hold::of(Values::of_position(&log), &log.time, &clock);
    let force = Hold::of(Values::of(&log.force), &log.time, &clock);
    let slowest = [("position", &position), ("force", &force)]
        .into_iter()
        .filter_map(|(name, hold)| Some((name, hold.as_ref()?)))
        .max_by(|a, b| a.1.period.total_cmp(&b.1.period));
    for (name, values, hold) in [
        ("position", Values::of_position(&log), &position),
        ("force", Values::of(&log.force), &force),
    ] {
        let repeats = values.repeats();
        if hold.is_none() && repeats > REPEATS {
            findings.note(format!(
                "{name} repeats its last value in {:.0} % of the samples, at no regular intervals: it was recorded in coarse steps, or more slowly than the log",
                100.0 * repeats
            ));
        }
    }
    let Some((name, slow)) = slowest else {
        return HeldChannels {
            log,
            clock,
            hold: None,
        };
    };
    findings.note(format!(
        "the {name} is updated every {:.1} ms and held in between, and the log has a sample every {:.1} ms: only the {} samples at its updates are used; --force-latency-error tells where the latency of the force is known better than that",
        1e3 * slow.period,
        1e3 * clock.interval,
        slow.updates.len()
    ));
    let mut taken = log.rows(&slow.updates);
    if let Some(force) = force.as_ref().filter(|_| name != "force") {
        taken.force = force.between(&log.force, &log.time, &slow.updates);
    }
    if let Some(position) = position.as_ref().filter(|_| name != "position") {
        let between = |channel: &Channel| position.between(channel, &log.time, &slow.updates);
        taken.motion = match &log.motion {
            Motion::Position(channel) => Motion::Position(between(channel)),
            Motion::Indentation(values) => {
                Motion::Indentation(position.numbers(values, &log.time, &slow.updates))
            }
        };
    }
    if let Some(channel) = &log.velocity
        && let Some(hold) = Hold::of(Values::of(channel), &log.time, &clock)
    {
        taken.velocity = if hold.period > SLOW_VELOCITY * slow.period {
            findings.note(format!(
                "the logged velocity is held for {:.1} ms, longer than position and force: it was not used",
                1e3 * hold.period
            ));
            None
        } else {
            Some(hold.between(channel, &log.time, &slow.updates))
        };
    }
    let hold = Some((slow.period, name));
    let clock = Clock::of(&taken.time);
    HeldChannels {
        log: Cow::Owned(taken),
        clock,
        hold,
    }
}

impl Hold {
    /// The hold of a channel; `None` if it is not held, or if the period cannot be estimated.
    fn of(values: Values, time: &[f64], clock: &Clock) -> Option<Self> {
        let changes = values.changes();
        // Measured in samples, which need not be evenly spaced.
        let runs: Vec<f64> = changes
            .windows(2)
            .map(|pair| (time[pair[1]] - time[pair[0]]) / clock.interval)
            .collect();
        if runs.len() < FEWEST {
            return None;
        }
        let typical = median(runs.clone());
        let alike: Vec<f64> = runs
            .iter()
            .copied()
            .filter(|run| (ALIKE[0] * typical..=ALIKE[1] * typical).contains(run))
            .collect();
        let period = alike.iter().sum::<f64>() / alike.len().max(1) as f64;
        if period < SHORTEST {
            return None;
        }
        // At short periods one sample more or less is a large share, and irregular runs would pass too.
        let tolerance = 0.99 + JITTER * (period - FINE).max(0.0);
        let is_whole = |run: &f64| {
            let periods = (run / period).round().max(1.0);
            (run - periods * period).abs() < tolerance
        };
        let telling: Vec<f64> = runs
            .into_iter()
            .filter(|run| *run < LONGEST * period)
            .collect();
        let regular = telling.iter().filter(|run| is_whole(run)).count();
        if telling.len() < FEWEST || (regular as f64) < REGULAR * telling.len() as f64 {
            return None;
        }
        (large_steps(values, &changes) > LARGE).then(|| Self {
            period: period * clock.interval,
            updates: updates(&changes, period, time.len()),
        })
    }

    /// A channel at some samples, interpolated linearly between its updates.
    fn between(&self, channel: &Channel, time: &[f64], rows: &[usize]) -> Channel {
        match channel {
            Channel::Scalar(values) => Channel::Scalar(self.numbers(values, time, rows)),
            Channel::Vector(values) => {
                let [x, y, z] = [0, 1, 2].map(|axis| {
                    let values: Vec<f64> = values.iter().map(|value| value[axis]).collect();
                    self.numbers(&values, time, rows)
                });
                let all = x.into_iter().zip(y).zip(z);
                Channel::Vector(all.map(|((x, y), z)| [x, y, z]).collect())
            }
        }
    }

    fn numbers(&self, values: &[f64], time: &[f64], rows: &[usize]) -> Vec<f64> {
        let at = |&row: &usize| {
            let next = self.updates.partition_point(|update| *update <= row);
            let before = next.checked_sub(1).map_or(row, |last| self.updates[last]);
            let after = self.updates.get(next).copied().unwrap_or(before);
            if before == row || after <= before {
                return values[before];
            }
            let share = (time[row] - time[before]) / (time[after] - time[before]);
            values[before] + share * (values[after] - values[before])
        };
        rows.iter().map(at).collect()
    }
}

/// The changes, and in longer runs of equal values the samples at which an update is due.
fn updates(changes: &[usize], period: f64, n: usize) -> Vec<usize> {
    let mut updates = Vec::new();
    let due = |from: usize, count: usize| from + (count as f64 * period).round() as usize;
    let first = changes[0];
    let before = (1..).map(|count| (f64::from(count) * period).round() as usize);
    let mut early: Vec<usize> = before.map_while(|back| first.checked_sub(back)).collect();
    early.reverse();
    updates.extend(early);
    for (index, &change) in changes.iter().enumerate() {
        updates.push(change);
        let end = changes.get(index + 1).map_or(n as f64, |next| {
            // The last due update before a change is that change, unless the change is late by a good part of a
            // period.
            *next as f64 - 0.5 * period
        });
        updates.extend(
            (1..)
                .map(|count| due(change, count))
                .take_while(|&row| (row as f64) < end),
        );
    }
    updates
}

/// Share of changes by more than one quantum, the smallest step of an axis.
fn large_steps(values: Values, changes: &[usize]) -> f64 {
    let axes = values.axes();
    let step = |axis: &[f64], row: usize| (axis[row] - axis[row - 1]).abs();
    let quanta: Vec<f64> = axes
        .iter()
        .map(|axis| {
            let steps = changes.iter().map(|&row| step(axis, row));
            steps.filter(|step| *step > 0.0).fold(f64::MAX, f64::min)
        })
        .collect();
    let large = |row: &&usize| {
        let mut each = axes.iter().zip(&quanta);
        each.any(|(axis, quantum)| step(axis, **row) > QUANTA * quantum)
    };
    changes.iter().filter(large).count() as f64 / changes.len().max(1) as f64
}

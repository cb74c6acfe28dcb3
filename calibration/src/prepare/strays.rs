//! Invalid samples (strays): a first value from before the sensor was ready, a dropout to zero, a click.
//!
//! A stray is a short run of samples that jumps away from its neighbours and back, by much more than they differ
//! among themselves. At the ends of a log there are neighbours on one side only, so a longer run counts there if it
//! repeats one number or lies outside the range of the rest of the log.

use std::borrow::Cow;
use std::ops::Range;

use super::{
    findings::Findings,
    noise::{median, white_noise},
    time::Clock,
    values::Values,
};
use crate::Log;

/// Neighbours on each side.
const SIDE: usize = 6;
/// Maximum length of a run of different values [samples], or `LONGEST_TIME` [s] if that is more samples.
const LONGEST: usize = 3;
const LONGEST_TIME: f64 = 0.01;
const MOST_SHORT: f64 = 50.0;
/// Maximum length of a run of one value, or of a run at an end of the log outside the range of the others, as a share
/// of the log.
const SHARE: f64 = 0.02;
/// Minimum jump in standard deviations of the noise, and as a share of the channel's range: for zeros, which a sensor
/// shows before it is ready, and for other values, which a quick start of the probe may give.
const NOISE: f64 = 12.0;
const RANGE: [f64; 2] = [0.03, 0.1];
/// Minimum jump as a multiple of the largest step between neighbours, and of their difference across the run.
const STEPS: f64 = 4.0;
/// Maximum number of runs that are left out, absolute or as a share of the log; a log with more of them is simply
/// noisy.
const MOST: usize = 10;
const MOST_SHARE: f64 = 0.01;
/// Number of runs that are reported with their times.
const TOLD: usize = 3;

/// The log without strays, borrowed if there are none; reports them.
pub(super) fn left_out<'a>(
    log: Cow<'a, Log>,
    clock: Clock,
    findings: &mut Findings,
) -> (Cow<'a, Log>, Clock) {
    let mut stray = vec![false; log.len()];
    for (name, values) in [
        ("position", Values::of_position(&log)),
        ("force", Values::of(&log.force)),
    ] {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for axis in values.axes() {
            runs.extend(of_axis(&axis, clock.interval));
        }
        runs.sort_by_key(|run| run.start);
        runs.dedup();
        if runs.is_empty() {
            continue;
        }
        let times: Vec<String> = runs
            .iter()
            .take(TOLD)
            .map(|run| format!("{:.4}", log.time[run.start]))
            .collect();
        let n: usize = runs.iter().map(ExactSizeIterator::len).sum();
        let is_few = runs.len() <= MOST.max((MOST_SHARE * log.len() as f64) as usize);
        findings.note(format!(
            "samples of the {name} that jump away from their neighbours {}: {n}, at {} s{}",
            if is_few {
                "were left out"
            } else {
                "are too many to be left out; check the sensor and its cable"
            },
            times.join(", "),
            if runs.len() > TOLD { " and later" } else { "" }
        ));
        if !is_few {
            continue;
        }
        for run in runs {
            stray[run].fill(true);
        }
    }
    if !stray.contains(&true) {
        return (log, clock);
    }
    let rows: Vec<usize> = (0..log.len()).filter(|&row| !stray[row]).collect();
    let log = log.rows(&rows);
    let clock = Clock::of(&log.time);
    (Cow::Owned(log), clock)
}

/// Runs of strays of one axis, increasing.
fn of_axis(values: &[f64], interval: f64) -> Vec<Range<usize>> {
    let n = values.len();
    if n < 4 * SIDE {
        return Vec::new();
    }
    let mut ordered = values.to_vec();
    let mut at = |share: f64| {
        let rank = (share * (n - 1) as f64) as usize;
        *ordered.select_nth_unstable_by(rank, f64::total_cmp).1
    };
    // Strays lie outside the middle 96 %.
    let range = at(1.0 - SHARE) - at(SHARE);
    let axis = Axis {
        values,
        limits: RANGE.map(|share| (NOISE * white_noise(values)).max(share * range)),
        short: LONGEST.max((LONGEST_TIME / interval).min(MOST_SHORT) as usize),
        longest: ((SHARE * n as f64) as usize).max(LONGEST),
    };
    if axis.limits[0] <= 0.0 {
        return Vec::new();
    }
    let mut runs = Vec::new();
    runs.extend(axis.head());
    let mut start = runs.last().map_or(1, |head: &Range<usize>| head.end + 1);
    while start + 1 < n {
        match axis.inside(start) {
            Some(run) => {
                start = run.end + 1;
                runs.push(run);
            }
            None => start += 1,
        }
    }
    let reversed: Vec<f64> = values.iter().rev().copied().collect();
    let tail = Axis {
        values: &reversed,
        ..axis
    };
    let taken = runs.last().map_or(0, |run| run.end);
    runs.extend(
        tail.head()
            .map(|head| n - head.end..n - head.start)
            .filter(|run| run.start >= taken),
    );
    runs
}

struct Axis<'a> {
    values: &'a [f64],
    /// Minimum jump of a zero, and of other values.
    limits: [f64; 2],
    /// Maximum length of a run of different values.
    short: usize,
    /// Maximum length of a run of one value, or of a run outside the range of all others.
    longest: usize,
}

impl Axis<'_> {
    /// Minimum jump for the value of a sample.
    fn limit(&self, row: usize) -> f64 {
        self.limits[usize::from(self.values[row] != 0.0)]
    }

    fn step(&self, row: usize) -> f64 {
        (self.values[row] - self.values[row - 1]).abs()
    }

    /// Level of some samples, and the largest step between them.
    fn side(&self, rows: Range<usize>) -> (f64, f64) {
        let steps = (rows.start + 1..rows.end).map(|row| self.step(row));
        (
            median(self.values[rows.clone()].to_vec()),
            steps.fold(0.0, f64::max),
        )
    }

    /// The end of the run of one value from `start` on.
    fn same(&self, start: usize) -> usize {
        let value = self.values[start];
        let rest = self.values[start..].iter();
        start + rest.take_while(|other| **other == value).count()
    }

    /// A run that begins at `start`, with neighbours on both sides.
    fn inside(&self, start: usize) -> Option<Range<usize>> {
        if start < SIDE || self.step(start) < self.limit(start) {
            return None;
        }
        let (before, rough) = self.side(start - SIDE..start);
        if self.step(start) < STEPS * rough {
            return None;
        }
        let same = self.same(start);
        let mut ends: Vec<usize> = (start + 1..=start + self.short).collect();
        if same > start + self.short && same <= start + self.longest {
            ends.push(same);
        }
        ends.into_iter()
            .filter(|end| end + SIDE <= self.values.len())
            .find(|&end| {
                let (after, coarse) = self.side(end..end + SIDE);
                let apart = (after - before).abs();
                let jump = self
                    .limit(start)
                    .max(STEPS * rough.max(coarse))
                    .max(STEPS * apart);
                let away = |value: &f64| (value - before).abs().min((value - after).abs()) > jump;
                self.values[start..end].iter().all(away) && self.step(end) > jump
            })
            .map(|end| start..end)
    }

    /// A run at the beginning, with neighbours after it only.
    fn head(&self) -> Option<Range<usize>> {
        let n = self.values.len();
        let mut ends: Vec<usize> = (1..=self.short).collect();
        ends.push(self.same(0));
        ends.extend(self.outside());
        ends.into_iter()
            .filter(|end| *end <= self.longest.max(self.short) && end + 2 * SIDE <= n)
            .find(|&end| {
                let (after, coarse) = self.side(end..end + 2 * SIDE);
                let jump = self.limit(0).max(STEPS * coarse);
                let away = |value: &f64| (value - after).abs() > jump;
                self.values[..end].iter().all(away) && self.step(end) > jump
            })
            .map(|end| 0..end)
    }

    /// The end of the longest run at the beginning whose values lie far outside the range of all later ones.
    fn outside(&self) -> Option<usize> {
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        for (row, &value) in self.values.iter().enumerate().rev() {
            if row < self.longest {
                let margin = 0.5 * (high - low);
                let beyond = |value: f64| value > high + margin || value < low - margin;
                if beyond(value) && self.values[..row].iter().all(|value| beyond(*value)) {
                    return Some(row + 1);
                }
            }
            low = low.min(value);
            high = high.max(value);
        }
        None
    }
}

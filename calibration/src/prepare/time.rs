//! Checks that time increases: repeated times are dropped, backward steps refused, gaps located.

use std::borrow::Cow;

use super::{findings::Findings, noise::median};
use crate::{CalibrationError, Log};

/// An interval longer than this multiple of the typical one is a gap.
const GAP: f64 = 5.0;

/// Sampling of a log.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// Typical time between samples [s].
    pub(super) interval: f64,
    /// Index ranges without gaps, in order, covering all samples.
    pub(super) stretches: Vec<std::ops::Range<usize>>,
    /// Whether all intervals are equal to 0.1 %, except for gaps.
    pub(super) even: bool,
}

/// The log with increasing time, borrowed if no sample was dropped.
pub(super) fn ordered<'a>(
    log: &'a Log,
    findings: &mut Findings,
) -> Result<(Cow<'a, Log>, Clock), CalibrationError> {
    let mut repeats = 0_usize;
    for (row, pair) in log.time.windows(2).enumerate() {
        if pair[1] < pair[0] {
            return Err(findings.refuse(format!(
                "time goes back from {} s to {} s at sample {} (counted from 1); sort the rows, or split a log that holds several recordings",
                pair[0],
                pair[1],
                row + 2
            )));
        }
        repeats += usize::from(pair[1] == pair[0]);
    }
    let log = if repeats == 0 {
        Cow::Borrowed(log)
    } else {
        if repeats * 10 > log.len() {
            return Err(findings.refuse(format!(
                "{repeats} of {} samples have the time of the one before; write time with more digits, or give the rate instead",
                log.len()
            )));
        }
        findings.note(format!(
            "{repeats} samples with the time of the one before were dropped"
        ));
        let fresh = |&row: &usize| row == 0 || log.time[row] != log.time[row - 1];
        let rows: Vec<usize> = (0..log.len()).filter(fresh).collect();
        Cow::Owned(log.rows(&rows))
    };
    let clock = Clock::of(&log.time);
    if clock.stretches.len() > 1 {
        let gaps: f64 = clock.stretches[1..]
            .iter()
            .map(|stretch| log.time[stretch.start] - log.time[stretch.start - 1])
            .sum();
        findings.note(format!(
            "{} gaps in time, together {gaps:.3} s; the first after {:.3} s",
            clock.stretches.len() - 1,
            log.time[clock.stretches[0].end - 1]
        ));
    }
    findings.choose(
        "time",
        format!("{:.6} s between samples", clock.interval),
        if clock.even {
            "even sampling"
        } else {
            "median of uneven sampling"
        },
    );
    Ok((log, clock))
}

impl Clock {
    /// This clock, or a new one if samples were dropped.
    pub(super) fn still_of(self, time: &[f64]) -> Self {
        if time.len() == self.stretches.last().map_or(0, |stretch| stretch.end) {
            self
        } else {
            Self::of(time)
        }
    }

    /// This clock, additionally cut at the ends of these ranges of `n` samples.
    pub(super) fn cut(&self, ranges: &[std::ops::Range<usize>], n: usize) -> Self {
        let ends = |ranges: &[std::ops::Range<usize>]| {
            ranges
                .iter()
                .flat_map(|range| [range.start, range.end])
                .collect()
        };
        let mut cuts: Vec<usize> = ends(ranges);
        cuts.extend::<Vec<usize>>(ends(&self.stretches));
        cuts.extend([0, n]);
        cuts.sort_unstable();
        cuts.dedup();
        Self {
            stretches: cuts.windows(2).map(|pair| pair[0]..pair[1]).collect(),
            ..self.clone()
        }
    }

    pub(super) fn of(time: &[f64]) -> Self {
        // A fraction of the intervals is enough for a typical value.
        let stride = (time.len() / 50_000).max(1);
        let intervals: Vec<f64> = time
            .windows(2)
            .step_by(stride)
            .map(|pair| pair[1] - pair[0])
            .collect();
        let interval = median(intervals);
        let mut stretches = Vec::new();
        let mut start = 0;
        let mut worst = 0.0_f64;
        for (index, pair) in time.windows(2).enumerate() {
            let error = (pair[1] - pair[0] - interval).abs();
            if error > (GAP - 1.0) * interval {
                stretches.push(start..index + 1);
                start = index + 1;
            } else {
                worst = worst.max(error);
            }
        }
        stretches.push(start..time.len());
        Self {
            interval,
            stretches,
            even: worst < 1e-3 * interval,
        }
    }
}

//! Missing values: rows are left out, or filled by interpolation if topics with different times were merged.

use super::plan::{Axes, MotionPlan, Plan};
use super::{refuse, timeline};
use crate::TableError;

/// Minimum coverage of a merged topic: a channel's typical interval times its number of samples, as a share of the
/// log.
const MIN_COVERED: f64 = 0.5;

/// Columns that form a channel: a position, an orientation, a velocity or a force.
struct ChannelColumns {
    what: &'static str,
    picks: Vec<usize>,
    /// Rows in which all its columns have values.
    rows: Vec<usize>,
}

/// Removes rows without a time, which cannot be used.
pub(super) fn drop_timeless(time: usize, series: &mut [Vec<f64>], notes: &mut Vec<String>) {
    let timed: Vec<bool> = series[time].iter().map(|time| !time.is_nan()).collect();
    let n = timed.iter().filter(|timed| !**timed).count();
    if n > 0 {
        timeline::retain(series, &timed);
        notes.push(format!("{} without a time {} left out", rows(n), are(n)));
    }
}

/// Removes or fills rows with missing values, so that every wanted cell has a value and the times increase.
///
/// If at least half of the rows are complete, the others are left out. If fewer are, and each channel covers the
/// whole log, the channels are interpolated at the times of the slowest one; nothing is interpolated across gaps.
///
/// # Errors
/// If a channel is missing in most rows without that pattern.
pub(super) fn fill(
    file: &str,
    plan: &Plan,
    time: &mut Vec<f64>,
    series: &mut [Vec<f64>],
    notes: &mut Vec<String>,
) -> Result<(), TableError> {
    let parts = parts(plan, series);
    let n = time.len();
    let mut whole = vec![true; n];
    for part in parts.iter().filter(|part| part.rows.len() < n) {
        let mut has = vec![false; n];
        part.rows.iter().for_each(|&row| has[row] = true);
        whole
            .iter_mut()
            .zip(has)
            .for_each(|(whole, has)| *whole &= has);
    }
    let kept = whole.iter().filter(|whole| **whole).count();
    if kept == n {
        return Ok(());
    }
    if kept * 2 >= n {
        let lacking: Vec<String> = parts
            .iter()
            .filter(|part| part.rows.len() < n)
            .map(|part| format!("{} in {}", part.what, n - part.rows.len()))
            .collect();
        notes.push(format!(
            "{} of {n} without a value {} left out: no {}",
            rows(n - kept),
            are(n - kept),
            lacking.join(", no ")
        ));
        timeline::retain(std::slice::from_mut(time), &whole);
        timeline::retain(series, &whole);
        return Ok(());
    }
    merged(file, &parts, time, series, notes)
}

fn parts(plan: &Plan, series: &[Vec<f64>]) -> Vec<ChannelColumns> {
    let picks_of = |axes: Axes| match axes {
        Axes::One(pick) => vec![pick],
        Axes::Three(picks) => picks.to_vec(),
    };
    let of = |what: &'static str, picks: Vec<usize>| {
        let has = |row: &usize| picks.iter().all(|&pick| !series[pick][*row].is_nan());
        let n = series[picks[0]].len();
        ChannelColumns {
            rows: (0..n).filter(has).collect(),
            what,
            picks,
        }
    };
    let motion = match plan.motion {
        MotionPlan::Indentation(pick) => of("indentation", vec![pick]),
        MotionPlan::Position(axes) => of("position", picks_of(axes)),
    };
    let orientation = plan
        .orientation
        .as_ref()
        .map(|plan| of("orientation", plan.picks.clone()));
    let velocity = plan.velocity.map(|axes| of("velocity", picks_of(axes)));
    // The force comes last: among equally fast channels the last one is not interpolated, and the force is the
    // noisier one.
    let force = of("force", picks_of(plan.force));
    [Some(motion), orientation, velocity, Some(force)]
        .into_iter()
        .flatten()
        .collect()
}

/// Interpolates channels with different rows at the times of the slowest one.
fn merged(
    file: &str,
    parts: &[ChannelColumns],
    time: &mut Vec<f64>,
    series: &mut [Vec<f64>],
    notes: &mut Vec<String>,
) -> Result<(), TableError> {
    let n = time.len();
    let counts: Vec<String> = parts
        .iter()
        .map(|part| format!("{} in {}", part.what, part.rows.len()))
        .collect();
    let counts = counts.join(", ");
    let span = time[n - 1] - time[0];
    let timelines: Vec<(Vec<usize>, Vec<f64>, f64)> = parts
        .iter()
        .map(|part| {
            let mut rows = part.rows.clone();
            rows.dedup_by_key(|row| time[*row]);
            let times: Vec<f64> = rows.iter().map(|&row| time[row]).collect();
            let interval = timeline::interval(&times);
            (rows, times, interval)
        })
        .collect();
    for (part, (rows, _, interval)) in parts.iter().zip(&timelines) {
        let covered = interval * rows.len().saturating_sub(1) as f64;
        if rows.len() < 2 || covered < MIN_COVERED * span {
            return Err(refuse(
                file,
                format!(
                    "of {n} rows only {} have a {what} (there is {counts}), and they are not spread over the log as those of merged topics: \
                     keep the rows that have one, or say which column it is with --columns {what}=…",
                    part.rows.len(),
                    what = part.what,
                ),
            ));
        }
    }
    // If steps are equal up to rounding, the later channel is used.
    let slowest = (1..parts.len()).fold(0, |slowest, other| {
        if timelines[other].2 >= 0.999 * timelines[slowest].2 {
            other
        } else {
            slowest
        }
    });
    let begin = timelines
        .iter()
        .map(|(_, at, _)| at[0])
        .fold(time[0], f64::max);
    let last = |at: &Vec<f64>| at[at.len() - 1];
    let end = timelines
        .iter()
        .map(|(_, at, _)| last(at))
        .fold(f64::MAX, f64::min);
    let mut at: Vec<f64> = timelines[slowest].1.clone();
    at.retain(|time| (begin..=end).contains(time));
    let mut used = vec![None; series.len()];
    for (part, timeline) in parts.iter().zip(&timelines) {
        part.picks
            .iter()
            .for_each(|&pick| used[pick] = Some(timeline));
    }
    let mut whole = vec![true; at.len()];
    for (values, timeline) in series.iter_mut().zip(used) {
        let own;
        let (rows, times, interval) = if let Some(timeline) = timeline {
            timeline
        } else {
            own = timeline_of(values, time);
            &own
        };
        let of_rows: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
        *values = timeline::sampled(times, &of_rows, *interval, &at);
        if timeline.is_some() {
            whole
                .iter_mut()
                .zip(&*values)
                .for_each(|(whole, value)| *whole &= !value.is_nan());
        }
    }
    timeline::retain(std::slice::from_mut(&mut at), &whole);
    timeline::retain(series, &whole);
    notes.push(format!(
        "the columns were recorded at times of their own ({counts} of {n} rows): all are taken at the {} times of the {}, the others interpolated, but not across gaps",
        at.len(),
        parts[slowest].what
    ));
    *time = at;
    Ok(())
}

/// Timeline of a column that belongs to no channel, such as a second force.
fn timeline_of(values: &[f64], time: &[f64]) -> (Vec<usize>, Vec<f64>, f64) {
    let mut rows: Vec<usize> = (0..values.len())
        .filter(|&row| !values[row].is_nan())
        .collect();
    rows.dedup_by_key(|row| time[*row]);
    let times: Vec<f64> = rows.iter().map(|&row| time[row]).collect();
    let interval = timeline::interval(&times);
    (rows, times, interval)
}

fn rows(n: usize) -> String {
    if n == 1 {
        "one row".to_owned()
    } else {
        format!("{n} rows")
    }
}

fn are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

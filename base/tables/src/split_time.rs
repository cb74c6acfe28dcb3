//! Times in two columns: whole seconds, and the rest in a smaller unit, as ROS and controllers of robots write them.

use super::names::{self, Quantity};
use super::plan::{Field, Plan, Target, label};
use super::refuse;
use super::units::{Dimension, Unit};
use crate::TableError;

/// Last words of the names of whole seconds.
const SECONDS: &[&str] = &[
    "sec", "secs", "second", "seconds", "s", "sek", "sekunde", "sekunden",
];
/// Units of the rest, and the last words of their names.
const RESTS: &[(&str, &[&str])] = &[
    (
        "ns",
        &[
            "nsec",
            "nsecs",
            "nanosec",
            "nanosecs",
            "nanosecond",
            "nanoseconds",
            "nanosek",
            "nanosekunden",
            "ns",
        ],
    ),
    (
        "us",
        &[
            "usec",
            "usecs",
            "microsec",
            "microsecs",
            "microseconds",
            "mikrosekunden",
            "us",
        ],
    ),
    (
        "ms",
        &[
            "msec",
            "msecs",
            "millisec",
            "millisecs",
            "millisecond",
            "milliseconds",
            "millisek",
            "millisekunde",
            "millisekunden",
            "ms",
        ],
    ),
];
/// Seconds since 1970 at the start of the year 2000.
const YEAR_2000: f64 = 946_684_800.0;
/// Step backwards [s] from which the parts do not fit together; a rest that belongs to another second is a second off.
const MAX_BACK: f64 = 0.5;

/// The two columns of a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitTime {
    pub(super) seconds: Target,
    pub(super) rest: Target,
    /// Unit of the rest.
    pub(super) unit: Unit,
}

impl SplitTime {
    /// Finds the columns by their names, which differ in the unit only. `time` is the column that is a time by itself:
    /// it takes precedence unless it is one of the two.
    ///
    /// # Errors
    /// For several such times.
    pub(super) fn find(
        file: &str,
        fields: &[Field],
        time: Option<Target>,
    ) -> Result<Option<Self>, TableError> {
        let targets = fields.iter().enumerate().filter_map(|(field, of)| {
            let is_one = matches!(of.width, None | Some(1)) && of.time_unit.is_none();
            let element = of.width.map(|_| 0);
            let words = names::snake(of.name.as_deref().filter(|_| is_one)?);
            Some((Target { field, element }, words))
        });
        let targets: Vec<(Target, String)> = targets.collect();
        let mut found = Vec::new();
        for (seconds, words) in &targets {
            let Some(stem) = without(words, SECONDS) else {
                continue;
            };
            for (rest, words) in &targets {
                let unit = RESTS
                    .iter()
                    .find(|(_, endings)| without(words, endings) == Some(stem));
                let unit = unit.and_then(|(name, _)| Unit::named(name, Dimension::Time));
                found.extend(unit.map(|unit| Self {
                    seconds: *seconds,
                    rest: *rest,
                    unit,
                }));
            }
        }
        if let Some(time) = time {
            found.retain(|split| [split.seconds, split.rest].contains(&time));
        }
        match found[..] {
            [] => Ok(None),
            [split] => Ok(Some(split)),
            [first, second, ..] => Err(refuse(
                file,
                format!(
                    "{} with {}, and {} with {}, may both be the time: name one column with --columns time=…, or give the sampling rate with --rate",
                    label(fields, first.seconds),
                    label(fields, first.rest),
                    label(fields, second.seconds),
                    label(fields, second.rest),
                ),
            )),
        }
    }
}

/// The words before one of the endings.
fn without<'a>(words: &'a str, endings: &[&str]) -> Option<&'a str> {
    endings.iter().find_map(|ending| {
        let stem = words.strip_suffix(ending)?;
        (stem.is_empty() || stem.ends_with('_')).then_some(stem)
    })
}

/// Adds the rest to the seconds. Times since 1970 are counted from the first second, as a sum of both has too few
/// digits.
///
/// # Errors
/// If the seconds are not whole, the rest reaches a second, or the time goes back.
pub(super) fn join(
    file: &str,
    plan: &Plan,
    series: &mut [Vec<f64>],
    notes: &mut Vec<String>,
) -> Result<(), TableError> {
    let (Some(time), Some(rest)) = (plan.time, plan.time_rest) else {
        return Ok(());
    };
    let labels = [time, rest].map(|pick| plan.picks[pick].label.as_str());
    let ask = |problem: String| {
        refuse(
            file,
            format!(
                "{} and {} seem to be one time in two parts, but {problem}: name the column of the time with --columns time=…, or give the sampling rate with --rate",
                labels[0], labels[1]
            ),
        )
    };
    let seconds = &series[time];
    if let Some(row) = seconds.iter().position(|second| second.fract().abs() > 0.0) {
        let name = labels[0].split('"').nth(1).unwrap_or_default();
        let is_time = |name| names::meaning(name).is_some_and(|of| of.quantity == Quantity::Time);
        if is_time(name) {
            notes.push(format!(
                "{} is not whole: {} is not read",
                labels[0], labels[1]
            ));
            return Ok(());
        }
        let second = seconds[row];
        return Err(ask(format!("row {} has {second} s", row + 1)));
    }
    let unit = plan.picks[rest]
        .unit
        .unwrap_or_else(|| Unit::si(Dimension::Time));
    let is_off = |rest: &f64| !rest.is_nan() && !(0.0..1.0).contains(&unit.to_si(*rest));
    if let Some(row) = series[rest].iter().position(is_off) {
        let (rest, unit) = (series[rest][row], unit.name);
        return Err(ask(format!("row {} has {rest} {unit}", row + 1)));
    }
    let first = seconds.iter().copied().find(|second| !second.is_nan());
    let first = first.filter(|first| *first >= YEAR_2000);
    let zero = first.unwrap_or(0.0);
    let parts = seconds.iter().zip(&series[rest]);
    let joined: Vec<f64> = parts
        .map(|(second, rest)| (second - zero) + unit.to_si(*rest))
        .collect();
    let mut latest = f64::NEG_INFINITY;
    for (row, now) in joined.iter().enumerate() {
        if latest - now >= MAX_BACK {
            let back = latest - now;
            return Err(ask(format!(
                "the time goes back by {back:.3} s in row {}",
                row + 1
            )));
        }
        latest = latest.max(*now);
    }
    if first.is_some() {
        notes.push(format!(
            "{} is counted from its first second, {zero}",
            labels[0]
        ));
    }
    series[time] = joined;
    Ok(())
}

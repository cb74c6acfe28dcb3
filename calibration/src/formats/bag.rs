//! Topics of a recording, each with times of its own, as one log: force at the times of the place or the other way round,
//! whichever was recorded less often.

use std::collections::BTreeSet;

use super::assemble::{self, Read};
use super::names::{self, Quantity};
use super::plan::{Field, Plan};
use super::units::{Dimension, Unit};
use super::{Columns, ReadOptions, refuse, refuse_at, timeline};
use crate::{CalibrationError, Log};

mod cdr;
mod json;
mod ros;
mod topic;

pub(super) use topic::Topic;

/// A recording that was read.
pub(super) struct Bag {
    pub(super) topics: Vec<Topic>,
    /// Topics that hold nothing of use, with their types, for messages.
    pub(super) others: Vec<String>,
    pub(super) sha256: String,
    pub(super) format: &'static str,
    pub(super) notes: Vec<String>,
}

/// Makes a log of a recording.
pub(super) fn log(
    file: &str,
    mut bag: Bag,
    options: &ReadOptions,
) -> Result<Log, CalibrationError> {
    bag.topics.retain(Topic::has_messages);
    let (fields, owners) = fields(&bag.topics);
    if owners.is_empty() {
        return Err(refuse(
            file,
            format!(
                "has no messages of a wrench, pose, point, twist, number or joint state: {}",
                match &bag.others[..] {
                    [] => "it is empty".to_owned(),
                    others => format!("its topics are {}", others.join(", ")),
                }
            ),
        ));
    }
    check_one_of_each(file, &fields, options.columns.as_ref())?;
    let plan = Plan::new(file, &fields, options)?;
    let of_pick = |field: usize| field.checked_sub(1).map(|field| owners[field]);
    let used: BTreeSet<usize> = plan
        .picks
        .iter()
        .filter_map(|pick| of_pick(pick.field))
        .map(|(topic, _)| topic)
        .collect();
    let timelines = timelines(&bag.topics, &used, &mut bag.notes);
    let at = common(file, &bag.topics, &timelines)?;
    let mut series: Vec<Vec<f64>> = plan
        .picks
        .iter()
        .map(|pick| match of_pick(pick.field) {
            None => at.clone(),
            Some((topic, part)) => {
                let part = &bag.topics[topic].parts[part];
                let timeline = timelines.iter().find(|line| line.topic == topic);
                timeline.map_or_else(Vec::new, |timeline| {
                    timeline.sampled(&part.values, part.width.unwrap_or(1), pick.element, &at)
                })
            }
        })
        .collect();
    keep_whole_rows(&mut series);
    for (pick, values) in plan.picks.iter().zip(&series) {
        assemble::check_finite(file, &pick.label, values)?;
    }
    let read = Read {
        plan,
        series,
        notes: bag.notes,
        sha256: bag.sha256,
        format: bag.format,
    };
    assemble::log(file, read, options)
}

/// A column of time, and one for each part of each topic; of those, which part of which topic.
fn fields(topics: &[Topic]) -> (Vec<Field>, Vec<(usize, usize)>) {
    let mut fields = vec![Field {
        time_unit: Some(Unit::si(Dimension::Time)),
        ..Field::scalar(Some("time".to_owned()))
    }];
    let mut owners = Vec::new();
    for (index, topic) in topics.iter().enumerate() {
        for (part, of) in topic.parts.iter().enumerate() {
            owners.push((index, part));
            fields.push(Field {
                width: of.width,
                ..Field::scalar(Some(format!("{}.{}", topic.name(), of.name)))
            });
        }
    }
    (fields, owners)
}

/// Refuses to choose among topics of one quantity: a wanted pose is no measured one.
fn check_one_of_each(
    file: &str,
    fields: &[Field],
    columns: Option<&Columns>,
) -> Result<(), CalibrationError> {
    let said = |quantity: Quantity| {
        columns.is_some_and(|columns| match quantity {
            Quantity::Position => columns.position.is_some() || columns.indentation.is_some(),
            Quantity::Force => columns.force.is_some(),
            // Without a name no velocity is read beside columns that have one.
            _ => true,
        })
    };
    for quantity in [Quantity::Position, Quantity::Force, Quantity::Velocity] {
        let offered: Vec<&str> = fields
            .iter()
            .filter(|field| field.width == Some(3))
            .filter_map(|field| field.name.as_deref())
            .filter(|name| names::meaning(name).is_some_and(|found| found.quantity == quantity))
            .collect();
        if offered.len() > 1 && !said(quantity) {
            let key = quantity.key();
            let ways: Vec<String> = offered
                .iter()
                .map(|name| format!("--columns {key}={name}"))
                .collect();
            return Err(refuse(
                file,
                format!(
                    "{} all say {key}: say which is meant, {}",
                    offered.join(", "),
                    ways.join(" or ")
                ),
            ));
        }
    }
    Ok(())
}

/// When the messages of a topic were.
struct Timeline {
    topic: usize,
    /// Messages in the order of time, none twice at one.
    order: Vec<usize>,
    /// Their times from the first of all topics used [s].
    time: Vec<f64>,
    /// Usual time between them [s].
    interval: f64,
}

/// The times of the topics used, by the clock of their senders where all of them tell it.
fn timelines(topics: &[Topic], used: &BTreeSet<usize>, notes: &mut Vec<String>) -> Vec<Timeline> {
    let stamped = used.iter().all(|&index| topics[index].is_stamped());
    notes.push(
        if stamped {
            "times are those in the messages' headers"
        } else {
            "times are those of the recorder, as not every message has one in its header"
        }
        .to_owned(),
    );
    let times = |index: usize| {
        let topic = &topics[index];
        if stamped {
            &topic.stamps
        } else {
            &topic.recorded
        }
    };
    let first = used.iter().filter_map(|&index| times(index).iter().min());
    let first = first.min().copied().unwrap_or(0);
    used.iter()
        .map(|&topic| {
            let nanoseconds = times(topic);
            let mut order: Vec<usize> = (0..nanoseconds.len()).collect();
            order.sort_by_key(|&message| nanoseconds[message]);
            order.dedup_by_key(|message| nanoseconds[*message]);
            let since = |&message: &usize| nanoseconds[message].saturating_sub(first) as f64 * 1e-9;
            let time: Vec<f64> = order.iter().map(since).collect();
            Timeline {
                topic,
                interval: timeline::interval(&time),
                order,
                time,
            }
        })
        .collect()
}

/// The times of the topic that was recorded least often, where all others have messages too.
fn common(
    file: &str,
    topics: &[Topic],
    timelines: &[Timeline],
) -> Result<Vec<f64>, CalibrationError> {
    let begin = timelines
        .iter()
        .map(|line| line.time[0])
        .fold(0.0, f64::max);
    let last = |line: &Timeline| line.time[line.time.len() - 1];
    let end = timelines.iter().map(last).fold(f64::MAX, f64::min);
    let slowest = timelines
        .iter()
        .max_by(|a, b| a.interval.total_cmp(&b.interval));
    let at: Vec<f64> = slowest
        .map(|line| line.time.iter().copied())
        .into_iter()
        .flatten()
        .filter(|time| (begin..=end).contains(time))
        .collect();
    if at.is_empty() {
        let spans: Vec<String> = timelines
            .iter()
            .map(|line| {
                let name = topics[line.topic].name();
                format!("{name} from {:.3} to {:.3} s", line.time[0], last(line))
            })
            .collect();
        return Err(refuse_at(
            file,
            ", times of the messages",
            format!(
                "{} do not overlap: do their senders share a clock?",
                spans.join(", ")
            ),
        ));
    }
    Ok(at)
}

impl Timeline {
    /// One number of every message, at other times; not a number where messages are missing.
    fn sampled(&self, values: &[f64], width: usize, element: usize, at: &[f64]) -> Vec<f64> {
        let values: Vec<f64> = self
            .order
            .iter()
            .map(|message| values[message * width + element])
            .collect();
        timeline::sampled(&self.time, &values, self.interval, at)
    }
}

/// Drops rows in which a topic had no messages about that time.
fn keep_whole_rows(series: &mut [Vec<f64>]) {
    let n = series.first().map_or(0, Vec::len);
    let whole: Vec<bool> = (0..n)
        .map(|row| !series.iter().any(|values| values[row].is_nan()))
        .collect();
    timeline::retain(series, &whole);
}

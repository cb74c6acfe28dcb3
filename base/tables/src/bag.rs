//! Merges the topics of a recording, each with its own times, into one log. The samples are taken at the times of
//! position or force, whichever was recorded less often.

use std::collections::BTreeSet;

use super::assemble::{self, Read};
use super::columns::Selector;
use super::names::{self, Quantity};
use super::orientation_kind::OrientationKind;
use super::plan::{Field, Plan};
use super::units::{Dimension, Unit};
use super::{Columns, ReadOptions, refuse, timeline};
use crate::{Log, TableError};

use clocks::{Timeline, common, timelines};

mod cdr;
mod clocks;
mod frames;
mod joints;
mod json;
mod message;
mod ros;
mod topic;
mod transforms;

pub(super) use topic::Topic;
use transforms::Transforms;

/// A recording that was read.
pub(super) struct Bag {
    pub(super) topics: Vec<Topic>,
    /// Topics without usable contents, with their types, for messages.
    pub(super) others: Vec<String>,
    pub(super) sha256: String,
    pub(super) format: &'static str,
    pub(super) notes: Vec<String>,
}

/// Creates a log from a recording.
pub(super) fn log(file: &str, mut bag: Bag, options: &ReadOptions) -> Result<Log, TableError> {
    let mut options = options.clone();
    let transforms = frames::transforms(&mut bag.topics);
    bag.topics.retain(Topic::has_messages);
    if bag.topics.is_empty() {
        return Err(nothing(file, &bag, &transforms));
    }
    if let Some(robot) = options.robot.clone()
        && !frames::gives_position(&bag.topics, options.columns.as_ref())
    {
        joints::add_pose(file, &mut bag.topics, &robot, &mut options, &mut bag.notes)?;
    }
    frames::add_places(
        file,
        &mut bag.topics,
        &transforms,
        &mut options,
        &mut bag.notes,
    )?;
    let (fields, owners) = fields(&bag.topics);
    if owners.is_empty() {
        return Err(nothing(file, &bag, &transforms));
    }
    check_one_of_each(file, &fields, options.columns.as_ref())?;
    let mut plan = Plan::without_orientation(file, &fields, &options)?;
    if let Some([_, rest @ ..]) = named_orientation(&options) {
        // A single name refers to a message's quaternion, whose order is given by its type.
        let kind = rest.is_empty().then_some(OrientationKind::Xyzw);
        let options = ReadOptions {
            orientation: options.orientation.or(kind),
            ..options.clone()
        };
        plan.add_orientation(file, &fields, &options)?;
    }
    let of_pick = |field: usize| field.checked_sub(1).map(|field| owners[field]);
    let recorded = frames::Recorded {
        file,
        topics: &bag.topics,
        transforms: &transforms,
        owner: &of_pick,
    };
    let frames = recorded.frames(&mut plan, options.force_frame, &mut bag.notes)?;
    let used: BTreeSet<usize> = plan
        .picks
        .iter()
        .filter_map(|pick| of_pick(pick.field))
        .map(|(topic, _)| topic)
        .chain(frames.topics())
        .collect();
    let (timelines, clock) = timelines(&bag.topics, &used);
    // A topic may contain its own times as one of its numbers.
    if plan.time.is_some_and(|pick| plan.picks[pick].field == 0) {
        bag.notes.push(clock);
    }
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
    series.extend(frames.sampled(file, &bag.topics, &timelines, &at)?);
    keep_whole_rows(&mut series);
    let turns = series.split_off(plan.picks.len());
    for (pick, values) in plan.picks.iter().zip(&series) {
        assemble::check_finite(file, &pick.label, values)?;
    }
    plan.frames = Some(frames.finish(file, &turns, &mut bag.notes)?);
    let read = Read {
        plan,
        series,
        notes: bag.notes,
        sha256: bag.sha256,
        format: bag.format,
        has_episode: false,
    };
    assemble::log(file, read, &options)
}

fn named_orientation(options: &ReadOptions) -> Option<&[Selector]> {
    options.columns.as_ref()?.orientation.as_deref()
}

/// Error for a recording without usable topics; lists its contents.
fn nothing(file: &str, bag: &Bag, transforms: &Transforms) -> TableError {
    let mut topics = bag.others.clone();
    if !transforms.is_empty() {
        let frames: Vec<&str> = transforms.frames().collect();
        topics.push(format!("/tf with frames {}", frames.join(", ")));
    }
    let has = if topics.is_empty() {
        "it is empty".to_owned()
    } else {
        format!("its topics are {}", topics.join(", "))
    };
    refuse(
        file,
        format!(
            "has no messages of a wrench, pose, point, twist, number, list of numbers or joint state: {has}"
        ),
    )
}

/// Fields: a time column, and one for each part of each topic. Also the topic and part of each of the latter.
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

/// Name and axis of a field that denotes a quantity.
fn name_and_axis(field: &Field, quantity: Quantity) -> Option<(&str, Option<usize>)> {
    let name = field.name.as_deref()?;
    let found = names::meaning(name).filter(|found| found.quantity == quantity)?;
    Some((name, found.axis))
}

/// Refuses to choose among topics of one quantity: a commanded pose is not a measured one.
fn check_one_of_each(
    file: &str,
    fields: &[Field],
    columns: Option<&Columns>,
) -> Result<(), TableError> {
    let said = |quantity: Quantity| {
        columns.is_some_and(|columns| match quantity {
            Quantity::Position => columns.position.is_some() || columns.indentation.is_some(),
            Quantity::Force => columns.force.is_some(),
            // A velocity without a name is not read if other columns have names.
            _ => true,
        })
    };
    for quantity in [Quantity::Position, Quantity::Force, Quantity::Velocity] {
        let of = |field| name_and_axis(field, quantity);
        let vectors = fields.iter().filter(|field| field.width == Some(3));
        let mut offered: Vec<&str> = vectors.filter_map(of).map(|(name, _)| name).collect();
        if offered.is_empty() {
            // Scalars with the same meaning; several forces are compared later.
            let numbers = fields.iter().filter(|field| field.width.is_none());
            let numbers: Vec<_> = numbers.filter_map(of).collect();
            let alike = |axis| numbers.iter().filter(|(_, other)| *other == axis).count() > 1;
            offered = numbers
                .iter()
                .filter(|(_, axis)| alike(*axis) && quantity != Quantity::Force)
                .map(|(name, _)| *name)
                .collect();
        }
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

/// Drops rows for which a topic had no messages near that time.
fn keep_whole_rows(series: &mut [Vec<f64>]) {
    let n = series.first().map_or(0, Vec::len);
    let whole: Vec<bool> = (0..n)
        .map(|row| !series.iter().any(|values| values[row].is_nan()))
        .collect();
    timeline::retain(series, &whole);
}

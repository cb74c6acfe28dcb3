//! Times of messages: by the clocks of their senders if these agree, otherwise by the clock of the recorder.

use std::collections::BTreeSet;

use nalgebra::UnitQuaternion;

use super::topic::Topic;
use super::transforms::between;
use crate::TableError;
use crate::{
    refuse_at,
    timeline::{self, GAP},
};

/// Minimum overlap of the headers of two topics, as a share of their overlap on the recorder's clock; with less, the
/// clocks differ.
const MIN_OVERLAP: f64 = 0.5;
/// Maximum difference of transport delays between topics [s]; a larger one means different clocks.
const MAX_DELAY: f64 = 0.1;

/// Times of the messages of a topic.
pub(super) struct Timeline {
    pub(super) topic: usize,
    /// Indices of the messages in order of time, without duplicate times.
    order: Vec<usize>,
    /// Times of the messages relative to the first message of all used topics [s].
    time: Vec<f64>,
    /// Typical time between messages [s].
    interval: f64,
}

/// Times of the used topics, and a note about the clock: the senders' clock if all of them give time stamps.
pub(super) fn timelines(topics: &[Topic], used: &BTreeSet<usize>) -> (Vec<Timeline>, String) {
    let reason = if used.iter().all(|&index| topics[index].is_stamped()) {
        different_clocks(topics, used)
    } else {
        Some("not every message has one in its header".to_owned())
    };
    let stamped = reason.is_none();
    let note = match reason {
        None => "times are those in the messages' headers".to_owned(),
        Some(why) => format!("times are those of the recorder, as {why}"),
    };
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
    let timelines = used
        .iter()
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
        .collect();
    (timelines, note)
}

/// Why the headers of the topics cannot use the same clock, if the recorder's times show that.
fn different_clocks(topics: &[Topic], used: &BTreeSet<usize>) -> Option<String> {
    let span = |times: &[i64]| -> [f64; 2] {
        let bound = |bound: Option<&i64>| bound.map_or(0.0, |time| *time as f64 * 1e-9);
        [bound(times.iter().min()), bound(times.iter().max())]
    };
    let overlap = |[from, to]: [f64; 2], [other_from, other_to]: [f64; 2]| {
        to.min(other_to) - from.max(other_from)
    };
    // Transport delay of messages, as the difference of the two clocks.
    let delay = |topic: &Topic| {
        let pairs = topic.recorded.iter().zip(&topic.stamps);
        let mut delays: Vec<i64> = pairs
            .map(|(recorded, stamp)| recorded.saturating_sub(*stamp))
            .collect();
        delays.sort_unstable();
        delays[delays.len() / 2]
    };
    let used: Vec<&Topic> = used.iter().map(|&index| &topics[index]).collect();
    let (first, others) = used.split_first()?;
    others.iter().find_map(|other| {
        let seen = overlap(span(&first.recorded), span(&other.recorded));
        let said = overlap(span(&first.stamps), span(&other.stamps));
        if seen <= 0.0 {
            return None;
        }
        let offset = delay(first).saturating_sub(delay(other)) as f64 * 1e-9;
        let differ = said < MIN_OVERLAP * seen || offset.abs() > MAX_DELAY;
        differ.then(|| {
            format!(
                "the headers of {} are {:.3} s {} those of {} by the recorder's clock: their senders' clocks differ",
                other.name(),
                offset.abs(),
                if offset > 0.0 { "ahead of" } else { "behind" },
                first.name()
            )
        })
    })
}

/// The times of the topic that was recorded least often, restricted to the range in which all others have messages.
pub(super) fn common(
    file: &str,
    topics: &[Topic],
    timelines: &[Timeline],
) -> Result<Vec<f64>, TableError> {
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
    /// One number per message, interpolated at other times; NaN where messages are missing.
    pub(super) fn sampled(
        &self,
        values: &[f64],
        width: usize,
        element: usize,
        at: &[f64],
    ) -> Vec<f64> {
        let values: Vec<f64> = self
            .order
            .iter()
            .map(|message| values[message * width + element])
            .collect();
        timeline::sampled(&self.time, &values, self.interval, at)
    }

    /// Rotation per message, interpolated at other times along the shortest arc; `None` where messages are missing.
    pub(super) fn turned(
        &self,
        turns: &[UnitQuaternion<f64>],
        at: &[f64],
    ) -> Vec<Option<UnitQuaternion<f64>>> {
        let mut right = 0;
        at.iter()
            .map(|wanted| {
                while right + 1 < self.time.len() && self.time[right] < *wanted {
                    right += 1;
                }
                if self.time[right] == *wanted {
                    return Some(turns[self.order[right]]);
                }
                let left = right.checked_sub(1)?;
                let gap = self.time[right] - self.time[left];
                if gap > GAP * self.interval
                    || !(self.time[left]..self.time[right]).contains(wanted)
                {
                    return None;
                }
                let share = (wanted - self.time[left]) / gap;
                let [from, to] = [left, right].map(|at| &turns[self.order[at]]);
                Some(between(from, to, share))
            })
            .collect()
    }
}

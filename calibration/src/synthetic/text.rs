//! A log as CSV text, with headers that the reader recognises.

use std::fmt::Write;

use crate::{Channel, Log, Motion};

/// The log as CSV: comment lines, a header with units, and one row per sample; numbers in the shortest exact
/// notation.
///
/// Vector logs have `time_s`, then `position_x_m` …, `velocity_x_m_s` …, `force_x_n` …; scalar logs have
/// `time_s,indentation_m` or `time_s,position_m`, then `velocity_m_s` and `force_n`. Velocity is omitted if it was
/// not logged.
pub fn to_csv(log: &Log, comments: &[String]) -> String {
    let mut columns: Vec<(String, Values<'_>)> =
        vec![("time_s".to_owned(), Values::Scalar(&log.time))];
    match &log.motion {
        Motion::Indentation(values) => {
            columns.push(("indentation_m".to_owned(), Values::Scalar(values)));
        }
        Motion::Position(channel) => columns.extend(named("position", "m", channel)),
    }
    if let Some(channel) = &log.velocity {
        columns.extend(named("velocity", "m_s", channel));
    }
    columns.extend(named("force", "n", &log.force));

    let mut text = String::new();
    for comment in comments {
        push(&mut text, format_args!("# {comment}\n"));
    }
    let names: Vec<&str> = columns.iter().map(|column| column.0.as_str()).collect();
    push(&mut text, format_args!("{}\n", names.join(",")));
    for row in 0..log.len() {
        for (index, (_, values)) in columns.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            push(&mut text, format_args!("{separator}{}", values.at(row)));
        }
        text.push('\n');
    }
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("writing to a string cannot fail");
}

enum Values<'a> {
    Scalar(&'a [f64]),
    Axis(&'a [[f64; 3]], usize),
}

impl Values<'_> {
    fn at(&self, row: usize) -> f64 {
        match self {
            Self::Scalar(values) => values[row],
            Self::Axis(values, axis) => values[row][*axis],
        }
    }
}

fn named<'a>(name: &str, unit: &str, channel: &'a Channel) -> Vec<(String, Values<'a>)> {
    match channel {
        Channel::Scalar(values) => vec![(format!("{name}_{unit}"), Values::Scalar(values))],
        Channel::Vector(values) => ["x", "y", "z"]
            .iter()
            .enumerate()
            .map(|(index, axis)| (format!("{name}_{axis}_{unit}"), Values::Axis(values, index)))
            .collect(),
    }
}

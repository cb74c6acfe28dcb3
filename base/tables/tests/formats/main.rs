//! Contract of the readers of logs: recorded numbers are read with their units; errors name the file, row and column
//! and what to do. Readers never panic.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_tables::ReadOptions;
use insonate_tables::{Channel, Log};

mod bags;
mod csv;
mod exports;
mod hostile;
mod joints;
mod matlab;
mod merged;
mod numpy;
mod ods;
mod orientations;
mod parquet;
mod recordings;
mod sheet;
mod split_time;

/// Columns in command-line notation; detected from the header if empty.
fn options(columns: &str, rate: Option<f64>) -> ReadOptions {
    ReadOptions {
        columns: (!columns.is_empty()).then(|| columns.parse().unwrap()),
        rate,
        ..ReadOptions::default()
    }
}

#[track_caller]
fn refused(result: Result<Log, String>, words: &[&str]) {
    let message = result.unwrap_err();
    for word in words {
        assert!(message.contains(word), "no \"{word}\" in: {message}");
    }
}

fn scalar(channel: &Channel) -> &[f64] {
    match channel {
        Channel::Scalar(values) => values,
        Channel::Vector(_) => panic!("a vector"),
    }
}

//! Contract: rows with missing values are left out or, in merged topics, interpolated; clock times are read; rows
//! slightly out of order are sorted. Each change is reported with its count.

use std::fmt::Write as _;

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read_bytes};

use super::{refused, scalar};

fn csv(text: &str) -> Result<Log, String> {
    read_bytes(
        "log.csv",
        Format::Csv,
        text.as_bytes(),
        &ReadOptions::default(),
    )
    .map_err(|error| error.to_string())
}

fn position(log: &Log) -> &[f64] {
    match &log.motion {
        Motion::Position(Channel::Scalar(values)) => values,
        _ => panic!("no position"),
    }
}

fn says(log: &Log, words: &str) {
    assert!(
        log.source.notes.iter().any(|note| note.contains(words)),
        "{:?}",
        log.source.notes
    );
}

/// A position and a force that a cubic between samples 2 ms apart reproduces to a micrometre and a millinewton.
fn place(time: f64) -> f64 {
    0.1 + 0.01 * (6.0 * time).sin()
}
fn force(time: f64) -> f64 {
    5.0 * (6.0 * time).cos()
}

/// Position every 2 ms; force 0.7 ms later, or only every `every`-th time.
fn merged(every: usize, has: impl Fn(f64) -> bool) -> String {
    let mut text = "__time,/tcp/position_m,/ft/force_N\n".to_owned();
    for row in 0..500 {
        let time = row as f64 * 0.002;
        let _ = writeln!(text, "{time:.4},{},", place(time));
        let late = time + 0.0007;
        if row % every == 0 && has(late) {
            let _ = writeln!(text, "{late:.4},,{}", force(late));
        }
    }
    text
}

#[test]
fn merged_topics_are_interpolated_at_the_times_of_the_slower() {
    for (every, n) in [(1, 499), (5, 100)] {
        let log = csv(&merged(every, |_| true)).unwrap();
        assert_eq!(log.len(), n);
        for (row, time) in log.time.iter().enumerate() {
            assert!((time - (row * every) as f64 * 0.002 - 0.0007).abs() < 1e-9);
            assert!((position(&log)[row] - place(*time)).abs() < 1e-6);
            assert!((scalar(&log.force)[row] - force(*time)).abs() < 1e-12);
        }
        says(&log, "times of the force");
    }
}

/// The sensor was silent from 0.3 to 0.6 s: the log contains no force in that time.
#[test]
fn nothing_is_interpolated_across_gaps() {
    let silent = |time: f64| !(0.3..0.6).contains(&time);
    let log = csv(&merged(1, silent)).unwrap();
    assert!(log.time.iter().all(|time| silent(*time)));
    assert!(log.len() > 340);
    // The same gap in the position.
    let slow =
        merged(1, silent).replace("/tcp/position_m,/ft/force_N", "/ft/force_N,/tcp/position_m");
    let slow = csv(&slow).unwrap();
    assert!(slow.time.iter().all(|time| silent(*time)));
}

#[test]
fn rows_without_a_value_are_left_out_and_counted() {
    for empty in ["", "NaN", "nan", "NA", "-", "N/A", "null"] {
        let mut text = "time_s,position_m,force_n\n".to_owned();
        for row in 0..100 {
            let time = f64::from(row) * 0.01;
            let force = if row < 3 || row == 50 {
                empty.to_owned()
            } else {
                force(time).to_string()
            };
            let _ = writeln!(text, "{time},{},{force}", place(time));
        }
        text.push_str(",,\n,0.1,1\n");
        let log = csv(&text).unwrap();
        assert_eq!(log.len(), 96, "{empty}");
        assert!(
            log.time
                .iter()
                .zip(scalar(&log.force))
                .all(|(time, read)| *read == force(*time))
        );
        says(
            &log,
            "4 rows of 100 without a value are left out: no force in 4",
        );
        says(&log, "one row without a time is left out");
    }
}

#[test]
fn a_channel_that_is_mostly_missing_is_refused() {
    let log = csv(&merged(1, |time| time < 0.2));
    refused(
        log,
        &[
            "600 rows",
            "100 have a force",
            "position in 500",
            "--columns force",
        ],
    );
    let mut text = "time_s,position_m,force_n\n".to_owned();
    for row in 0..100 {
        let _ = writeln!(text, "{row},0.1,");
    }
    refused(
        csv(&text.replace(",0.1,", "e-3,0.1,")),
        &["100 rows", "0 have a force"],
    );
}

#[test]
fn clock_times_are_counted_from_the_first() {
    for times in [
        [
            "2024-05-03 23:59:59.998",
            "2024-05-04 00:00:00.000000",
            "2024-05-04T00:00:00.002Z",
        ],
        ["23:59:59.998", "0:00:00.000", "0:00:00.002"],
        ["1714780799998", "1714780800000", "1714780800002"],
        ["1714780799998000", "1714780800000000", "1714780800002000"],
        [
            "1714780799998000128",
            "1714780800000000000",
            "1714780800001999872",
        ],
    ] {
        let rows: String = times
            .iter()
            .enumerate()
            .map(|(row, time)| format!("{time};0,00{row};{row}\n"))
            .collect::<Vec<_>>()
            .concat();
        for header in ["timestamp", "Time (hh:mm:ss.fff)"] {
            let log = csv(&format!("{header};position_m;force_N\n{rows}")).unwrap();
            for (time, expected) in log.time.iter().zip([0.0, 0.002, 0.004]) {
                assert!((time - expected).abs() < 1e-6, "{times:?} {:?}", log.time);
            }
            says(&log, "counted from the first");
        }
    }
    refused(
        csv("time,position_m,force_N\n10:11:12.5,0,0\n2024-05-03 10:11:13,0,0\n3,0,0\n"),
        &["row 3", "clock time unlike"],
    );
    refused(
        csv("time,position_m,force_N\n10:11:12,0,0\n2,0,0\n3,0,0\n"),
        &["clock times and numbers"],
    );
    refused(
        csv("time,position_m,force_N\n0,0,0\n1,10:11:12.5,0\n2,0,0\n"),
        &["row 3", "clock time"],
    );
}

#[test]
fn small_disorder_is_sorted_and_several_recordings_are_not() {
    let text = |order: &[usize]| {
        let mut text = "time_s,position_m,force_n\n".to_owned();
        for &row in order {
            let time = row as f64 * 0.002;
            let _ = writeln!(text, "{time},{},{}", place(time), force(time));
        }
        text
    };
    let sorted: Vec<usize> = (0..300).collect();
    let mut swapped = sorted.clone();
    for at in [10, 50, 200] {
        swapped.swap(at, at + 1);
    }
    let (log, ordered) = (csv(&text(&swapped)).unwrap(), csv(&text(&sorted)).unwrap());
    assert_eq!(
        (&log.time, &log.motion, &log.force),
        (&ordered.time, &ordered.motion, &ordered.force)
    );
    says(&log, "3 rows came after later ones");
    // Two recordings keep their order, and the preparation refuses them.
    let twice: Vec<usize> = sorted.iter().chain(&sorted).copied().collect();
    let log = csv(&text(&twice)).unwrap();
    assert_eq!(log.time[300], 0.0);
}

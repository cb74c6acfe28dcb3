//! Contract: a time in two columns, whole seconds and the rest, is read to the nanosecond. Columns that do not fit
//! together are not joined: the user is asked.

use std::fmt::Write as _;

use insonate_tables::{Format, Log, Motion, ReadOptions, read_bytes};

use super::{options, refused, scalar};

const N: usize = 700;
/// Nanoseconds between samples: 3.7 ms, so that no sample falls on a whole second.
const STEP: u64 = 3_700_000;

fn read(text: &str, columns: &str, rate: Option<f64>) -> Result<Log, String> {
    let options = options(columns, rate);
    read_bytes("log.csv", Format::Csv, text.as_bytes(), &options).map_err(|error| error.to_string())
}

/// A log whose time begins at `first` seconds and half a second, in two columns with these names.
fn csv(names: [&str; 2], first: u64, per_second: u64, separator: char) -> String {
    let mut text = format!(
        "{}{separator}{}{separator}weg_mm{separator}kraft_n\n",
        names[0], names[1]
    );
    for row in 0..N as u64 {
        let nanoseconds = 500_000_000 + row * STEP;
        let rest = nanoseconds % 1_000_000_000 * per_second / 1_000_000_000;
        let seconds = first + nanoseconds / 1_000_000_000;
        let _ = writeln!(
            text,
            "{seconds}{separator}{rest}{separator}{row}{separator}{}",
            2 * row
        );
    }
    text
}

#[test]
fn seconds_and_nanoseconds_are_one_time() {
    for names in [
        ["sec", "nsec"],
        ["header.stamp.sec", "header.stamp.nanosec"],
        ["header.stamp.secs", "header.stamp.nsecs"],
        ["/ft/header/stamp/sec", "/ft/header/stamp/nanosec"],
        ["stamp_sec", "stamp_nanosec"],
        ["timestamp_s", "timestamp_ns"],
        ["Time [s]", "Time [ns]"],
        ["Sekunden", "Nanosekunden"],
    ] {
        // Since 1970 a sum in doubles would be off by a tenth of a microsecond.
        let log = read(&csv(names, 1_700_000_000, 1_000_000_000, ','), "", None).unwrap();
        assert_eq!(log.len(), N, "{names:?}");
        for (row, time) in log.time.iter().enumerate() {
            let exact = 0.5 + row as f64 * 0.0037;
            assert!((time - exact).abs() < 1e-11, "{names:?}: {time} {exact}");
        }
        assert_eq!(scalar(&log.force)[3], 6.0);
        let notes = log.source.notes.join("; ");
        assert!(
            notes.contains("counted from its first second, 1700000000"),
            "{notes}"
        );
        let is_told = |line: &String| line.starts_with("time: ") && line.contains("ns → s");
        assert!(log.source.columns.iter().any(is_told));
    }
}

#[test]
fn seconds_and_milliseconds_of_a_controller_are_one_time() {
    for names in [["Sek", "ms"], ["sec", "msec"], ["Zeit [s]", "Zeit [ms]"]] {
        let log = read(&csv(names, 12, 1000, ';'), "", None).unwrap();
        // From 12.5 s on, cut to milliseconds.
        for (row, time) in log.time.iter().enumerate() {
            let exact = 12.5 + row as f64 * 0.0037;
            assert!(
                (-1e-9..0.001).contains(&(exact - time)),
                "{names:?}: {time} {exact}"
            );
        }
        let Motion::Position(_) = log.motion else {
            panic!("no position");
        };
    }
}

#[test]
fn columns_that_do_not_fit_together_are_asked_about() {
    let table = |rows: &[(&str, &str)]| {
        let mut text = "sec,nsec,depth_mm,force_n\n".to_owned();
        for (row, (seconds, rest)) in rows.iter().enumerate() {
            let _ = writeln!(text, "{seconds},{rest},{row},{row}");
        }
        text
    };
    let way = ["--columns time=", "--rate", "\"sec\"", "\"nsec\""];
    let asked = |rows: &[(&str, &str)], problem: &str| {
        let words = [&way[..], &[problem]].concat();
        refused(read(&table(rows), "", None), &words);
    };
    // A rest of more than a second is a time of its own.
    asked(
        &[("0", "900000000"), ("1", "1900000000"), ("2", "2900000000")],
        "row 2 has 1900000000 ns",
    );
    asked(&[("0", "1"), ("1", "-5"), ("2", "1")], "row 2 has -5 ns");
    // The seconds do not advance with the rest.
    asked(
        &[
            ("5", "600000000"),
            ("5", "900000000"),
            ("5", "100000000"),
            ("6", "1"),
        ],
        "goes back by 0.800 s in row 3",
    );
    asked(
        &[("0.5", "0"), ("1.5", "0"), ("2.5", "0")],
        "row 1 has 0.5 s",
    );
    // The remedies.
    let rows = table(&[("0", "9e8"), ("1", "19e8"), ("2", "29e8")]);
    let named = ReadOptions {
        units: "time=ns".parse().unwrap(),
        ..options("time=nsec", None)
    };
    let log = read_bytes("log.csv", Format::Csv, rows.as_bytes(), &named).unwrap();
    assert_eq!(log.time, [0.9, 1.9, 2.9]);
    assert_eq!(read(&rows, "", Some(10.0)).unwrap().time, [0.0, 0.1, 0.2]);
}

#[test]
fn a_time_of_its_own_has_precedence() {
    // As bags are exported: the recorder's time and the sender's stamp.
    let mut text = "Time,stamp.secs,stamp.nsecs,depth_mm,force_n\n".to_owned();
    for row in 0..5 {
        let _ = writeln!(
            text,
            "{},{},0,{row},{row}",
            f64::from(row) * 0.01,
            100 + row
        );
    }
    let log = read(&text, "", None).unwrap();
    assert_eq!(log.time, [0.0, 0.01, 0.02, 0.03, 0.04]);
    // Two stamps and no other time.
    let two = "a.sec,a.nsec,b.sec,b.nsec,depth_mm,force_n\n0,0,0,0,0,0\n1,0,1,0,1,1\n2,0,2,0,2,2\n";
    refused(
        read(two, "", None),
        &["\"a.sec\"", "\"b.nsec\"", "--columns time="],
    );
    // A time with fractions, and the same in another unit.
    let both = "time_s,time_ms,depth_mm,force_n\n0,0,0,0\n0.25,250,1,1\n0.5,500,2,2\n";
    assert_eq!(read(both, "", None).unwrap().time, [0.0, 0.25, 0.5]);
}

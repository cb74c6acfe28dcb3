//! Contract: arrays of a table give the same log, to the bit, as the same numbers in a text, and errors name the row and the column.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fmt::Write as _;
use std::path::Path;

use insonate_dvrk::identification::{Coordinates, FourierTrajectory, MotionLog, Reading};

const RATE_HZ: f64 = 200.0;
const N_SAMPLES: usize = 400;

/// Rows of time, q, dq, and ddq in place of the torques.
fn rows() -> Vec<[f64; 22]> {
    let motion = FourierTrajectory::wang(2).expect("it is one of four");
    let row = |sample: usize| {
        let time = sample as f64 / RATE_HZ;
        let mut row = [time; 22];
        for (place, value) in row[1..].iter_mut().zip(motion.at(time).iter().flatten()) {
            *place = *value;
        }
        row
    };
    (0..N_SAMPLES).map(row).collect()
}

/// A text of the rows' numbers from `first` on.
fn text(header: &str, rows: &[[f64; 22]], first: usize) -> String {
    let mut text = header.to_owned();
    for row in rows {
        let cells: Vec<String> = row[first..].iter().map(ToString::to_string).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    text
}

/// A NumPy file of version 1.0 (NumPy Enhancement Proposal 1) with the rows' numbers from `first` on.
fn npy(path: &Path, dtype: &str, shape: &str, rows: &[[f64; 22]], first: usize) {
    let mut header = format!("{{'descr': {dtype}, 'fortran_order': False, 'shape': ({shape}), }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(
        rows.iter()
            .flat_map(|row| &row[first..])
            .flat_map(|x| x.to_le_bytes()),
    );
    std::fs::write(path, bytes).unwrap();
}

fn reading() -> Reading {
    Reading::new(Coordinates::Motor)
}

/// The log without its name.
fn unnamed(log: MotionLog) -> MotionLog {
    MotionLog {
        name: String::new(),
        ..log
    }
}

#[test]
fn an_array_of_21_columns_is_read_like_a_text_without_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows();
    let path = folder.path().join("log.npy");
    npy(&path, "'<f8'", "400, 21", &rows, 1);
    let table = MotionLog::read_with(&path, &reading()).unwrap();
    let text = MotionLog::parse_with("text".to_owned(), &text("", &rows, 1), &reading()).unwrap();
    assert_eq!(table.n_samples(), N_SAMPLES);
    assert_eq!(unnamed(table), unnamed(text));
}

#[test]
fn arrays_with_names_are_the_joints_and_a_time_gives_the_rate() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows();
    let path = folder.path().join("log.npy");
    let dtype = "[('time', '<f8'), ('q', '<f8', (7,)), ('dq', '<f8', (7,)), ('tau', '<f8', (7,))]";
    npy(&path, dtype, "400,", &rows, 0);
    let table = MotionLog::read_with(&path, &reading()).unwrap();
    let names = |quantity: &str| {
        (1..=7)
            .map(|n| format!(",{quantity}{n}"))
            .collect::<Vec<_>>()
            .concat()
    };
    let header = format!("time{}{}{}\n", names("q"), names("dq"), names("tau"));
    let text = text(&header, &rows, 0);
    let text = MotionLog::parse_with("text".to_owned(), &text, &reading()).unwrap();
    assert_eq!(table.rate_hz.to_bits(), RATE_HZ.to_bits());
    assert_eq!(unnamed(table), unnamed(text));
}

#[test]
fn errors_name_the_file_the_row_and_the_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.npy");
    let message = || {
        let error = MotionLog::read_with(&path, &reading()).unwrap_err();
        let file = path.display().to_string();
        error.to_string().strip_prefix(&file).unwrap().to_owned()
    };
    let mut rows = rows();
    npy(
        &path,
        "[('q', '<f8', (7,)), ('dq', '<f8', (15,))]",
        "400,",
        &rows,
        0,
    );
    let wrong = message();
    assert!(wrong.contains("column tau1 is missing"), "{wrong}");

    npy(&path, "'<f8'", "400, 22", &rows, 0);
    let wrong = message();
    assert!(wrong.contains("has 22 columns"), "{wrong}");

    rows[11][3] = 3e7;
    npy(&path, "'<f8'", "400, 21", &rows, 1);
    let wrong = message();
    assert!(
        wrong.starts_with(": row 12: column q3 is \"30000000\""),
        "{wrong}"
    );

    rows[11][3] = f64::NAN;
    npy(&path, "'<f8'", "400, 21", &rows, 1);
    let wrong = message();
    assert!(
        wrong.starts_with(": row 12: column q3 is \"NaN\""),
        "{wrong}"
    );

    std::fs::write(&path, b"q1,q2\n").unwrap();
    assert!(!message().is_empty());
}

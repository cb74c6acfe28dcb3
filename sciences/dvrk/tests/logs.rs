//! Contract: logs are read as written, and errors in a log are reported with file, line and column.

use std::fmt::Write as _;

use insonate_dvrk::identification::{Coordinates, FourierTrajectory, MotionLog};

/// A log of `n` samples at 200 Hz, in the order q, dq, tau.
fn rows(n: usize) -> Vec<[f64; 21]> {
    let trajectory = FourierTrajectory::wang(2).expect("it is one of four");
    (0..n)
        .map(|sample| {
            let [q, dq, ddq] = trajectory.at(sample as f64 / 200.0);
            std::array::from_fn(|column| [q, dq, ddq][column / 7][column % 7])
        })
        .collect()
}

fn text(rows: &[[f64; 21]], separator: &str) -> String {
    let line = |row: &[f64; 21]| row.map(|value| value.to_string()).join(separator);
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn parse(text: &str) -> Result<MotionLog, String> {
    MotionLog::parse("log.csv".to_owned(), text, 200.0, Coordinates::Motor)
        .map_err(|error| error.to_string())
}

#[test]
fn plain_and_named_columns_give_the_same_log() {
    let rows = rows(50);
    let plain = parse(&text(&rows, ",")).unwrap();
    assert_eq!(plain.n_samples(), 50);
    assert_eq!(plain.tau[7][3], rows[7][17]);
    assert_eq!(parse(&text(&rows, "; ")).unwrap(), plain);
    assert_eq!(
        parse(&format!("\u{feff}{}\r\n\r\n", text(&rows, "\t"))).unwrap(),
        plain
    );

    // The same columns in reverse order, next to others.
    let mut named = String::from("time");
    for name in ["effort", "velocity", "position"] {
        for joint in (1..=7).rev() {
            write!(named, ",\"{name}_{joint}\"").unwrap();
        }
    }
    for (sample, row) in rows.iter().enumerate() {
        write!(named, "\n{}", sample as f64 / 200.0).unwrap();
        for quantity in [2, 1, 0] {
            for joint in (0..7).rev() {
                write!(named, ",{}", row[7 * quantity + joint]).unwrap();
            }
        }
    }
    assert_eq!(parse(&named).unwrap(), plain);
}

#[test]
fn bad_logs_are_refused_with_line_and_column() {
    let good = text(&rows(50), ",");
    let degrees: Vec<[f64; 21]> = (rows(50).into_iter())
        .map(|mut row| {
            row[7..14].iter_mut().for_each(|dq| *dq = dq.to_degrees());
            row
        })
        .collect();
    let mut lines: Vec<&str> = good.lines().collect();
    let broken = lines[9].replacen(',', ",abc", 1);
    lines[9] = &broken;
    let header = "q1,q2,q3,q4,q5,q6,q7,dq1,dq2,dq3,dq4,dq5,dq6,dq7,tau1,tau2,tau3,tau4,tau5,tau6";
    for (text, expected) in [
        ("", "log.csv: line 1: the file is empty"),
        ("\n\n", "log.csv: line 1: the file is empty"),
        (
            "1,2,3",
            "log.csv: line 1: the line has 3 columns; it must have 21",
        ),
        (&lines.join("\n"), "log.csv: line 10: column q2 is \"abc"),
        (
            &good.replacen("0.", "NaN0.", 1).replace("NaN0.", "NaN,0."),
            "log.csv: line 1",
        ),
        (
            &format!("{}\ninf{}", good, ",0".repeat(20)),
            "log.csv: line 51: column q1 is \"inf\"",
        ),
        (
            &format!("{good}\n1e300{}", ",0".repeat(20)),
            "log.csv: line 51: column q1 is \"1e300\"",
        ),
        (
            header,
            "log.csv: line 1: column tau7 is missing in the header",
        ),
        (
            &format!("{header},tau1,tau7\n"),
            "log.csv: line 1: column tau1 is named twice",
        ),
        (
            &format!("{header},tau7\n1,2"),
            "log.csv: line 2: column q3 is missing",
        ),
        (
            &self::text(&degrees, ","),
            "log.csv: at 200 Hz the speed of q1 is 0.017 times dq1",
        ),
    ] {
        let message = parse(text).unwrap_err();
        assert!(
            message.starts_with(expected),
            "{message}, expected {expected}"
        );
    }
    for rate in [0.0, -200.0, f64::NAN, f64::INFINITY, 1e9] {
        let log = MotionLog::parse("log.csv".to_owned(), &good, rate, Coordinates::Joint);
        let message = log.unwrap_err().to_string();
        assert!(message.starts_with("the rate of log.csv is"), "{message}");
    }
    let missing = MotionLog::read("no/such.csv".as_ref(), 200.0, Coordinates::Joint);
    assert!(
        missing
            .unwrap_err()
            .to_string()
            .starts_with("cannot read no/such.csv")
    );
}

//! A refusal names a way on, and that way works. Others are in `palpation`, `doubts` and `formats`; docs/calibration.md lists them.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::formats::{Format, ReadOptions, read_bytes};
use insonate_calibration::synthetic::{Law, MotionFrame, SyntheticLog, Trajectory};
use insonate_calibration::{Log, PrepareOptions, prepare};

fn log(motion: Trajectory) -> Log {
    let law = Law::KelvinVoigt {
        stiffness: 1324.17,
        damping: 17.59,
    };
    let frame = MotionFrame::Axis {
        surface: 0.12,
        outward: true,
    };
    SyntheticLog::new(law, motion, frame).generate()
}

fn problem(log: &Log, options: &PrepareOptions) -> String {
    prepare(log, options).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_window_outside_the_press_is_named() {
    let log = log(Trajectory::press());
    let mut options = PrepareOptions {
        window: Some([100.0, 101.0]),
        ..PrepareOptions::default()
    };
    let refused = problem(&log, &options);
    assert!(refused.contains("inside --window"), "{refused}");
    options.window = Some([2.0, 4.0]);
    assert!(prepare(&log, &options).is_ok());
}

#[test]
fn a_time_with_too_few_digits_can_be_counted_instead() {
    let row = |i: usize| {
        format!(
            "{:.2},{},{}\n",
            i as f64 / 500.0,
            0.001 * (i % 50) as f64,
            i % 50
        )
    };
    let rows: String = (0..500).map(row).collect();
    let text = format!("time_s,indentation_m,force_n\n{rows}");
    let read = |rate| {
        let options = ReadOptions {
            rate,
            ..ReadOptions::default()
        };
        read_bytes("log.csv", Format::Csv, text.as_bytes(), &options).unwrap()
    };
    let refused = problem(&read(None), &PrepareOptions::default());
    assert!(refused.contains("give the rate instead"), "{refused}");
    assert!(prepare(&read(Some(500.0)), &PrepareOptions::default()).is_ok());
}

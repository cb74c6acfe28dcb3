//! The advice in an error message works. More cases are in `palpation`, `warnings` and `formats`; docs/lookup/messages.md
//! lists them.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::formats::{Format, ReadOptions, read_bytes};
use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{
    CalibrationOptions, Channel, Log, ModelChoice, Motion, PrepareOptions, calibrate, prepare,
};

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

#[test]
fn a_fast_impact_needs_a_given_surface() {
    let slam = Segment::Move {
        to: 0.008,
        speed: 2.0,
        ramp: 0.002,
    };
    let slow = Segment::Move {
        to: 0.003,
        speed: 0.01,
        ramp: 0.05,
    };
    let motion = [Segment::Hold(1.0), slam, Segment::Hold(0.5), slow];
    let log = log(Trajectory::new(-0.02, &motion));
    let refused = problem(&log, &PrepareOptions::default());
    assert!(
        refused.contains("from sample to sample") && refused.contains("--surface"),
        "{refused}"
    );
    let given = PrepareOptions {
        surface: Some(0.12),
        ..PrepareOptions::default()
    };
    let options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        prepare: given,
        ..CalibrationOptions::default()
    };
    let found = calibrate(&log, &options).unwrap().fit;
    let stiffness = found.parameter("stiffness").unwrap();
    assert!(
        (stiffness.value / 1324.17 - 1.0).abs() < 0.01,
        "{stiffness:?}"
    );
}

#[test]
fn a_wrong_surface_is_refused_and_the_true_one_works() {
    let log = log(Trajectory::press());
    let at = |surface| PrepareOptions {
        surface: Some(surface),
        ..PrepareOptions::default()
    };
    // The axis points outwards: the press is below 0.12.
    for (surface, words) in [
        (0.128, "above where the force begins"),
        (0.114, "below where the force begins"),
        (0.112, "below where the force begins"),
        (-0.12, "below where the force begins"),
    ] {
        let refused = problem(&log, &at(surface));
        assert!(
            refused.contains(words) && refused.contains("--surface"),
            "{refused}"
        );
    }
    assert!(prepare(&log, &at(0.12)).is_ok());
    assert!(prepare(&log, &PrepareOptions::default()).is_ok());
}

#[test]
fn a_gap_over_contact_widens_the_intervals() {
    let whole = log(Trajectory::press());
    let Motion::Position(Channel::Scalar(position)) = &whole.motion else {
        panic!("a log along an axis");
    };
    let touched = position.iter().position(|z| *z < 0.12).unwrap();
    let error = |width: usize| {
        let kept: Vec<usize> = (0..whole.len())
            .filter(|row| !(touched - width..touched + width).contains(row))
            .collect();
        let found = prepare(&whole.rows(&kept), &PrepareOptions::default()).unwrap();
        found.samples.contact.standard_error
    };
    let (narrow, wide) = (error(15), error(60));
    assert!(
        error(0) < narrow && narrow < wide,
        "{} {narrow} {wide}",
        error(0)
    );
}

#[test]
fn a_negative_indentation_can_be_read_as_a_position() {
    let log = log(Trajectory::press());
    let Motion::Position(Channel::Scalar(position)) = &log.motion else {
        panic!("a log along an axis");
    };
    let negative: Vec<f64> = position.iter().map(|z| z - 0.14).collect();
    let with = |motion| Log {
        motion,
        velocity: None,
        ..log.clone()
    };
    let refused = problem(
        &with(Motion::Indentation(negative.clone())),
        &PrepareOptions::default(),
    );
    assert!(refused.contains("--columns position=…"), "{refused}");
    let place = with(Motion::Position(Channel::Scalar(negative)));
    assert!(prepare(&place, &PrepareOptions::default()).is_ok());
}

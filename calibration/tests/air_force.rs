//! A force that depends on the position in free air: hose, cable, a bias that depends on the pose.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{Calibration, CalibrationOptions, Channel, Log, ModelChoice, calibrate};

const STIFFNESS: f64 = 1324.17;
const LAW: Law = Law::KelvinVoigt {
    stiffness: STIFFNESS,
    damping: 17.59,
};

fn step(to: f64, speed: f64) -> Segment {
    Segment::Move {
        to,
        speed,
        ramp: 0.1,
    }
}

fn recipe(seed: u64, motion: Trajectory) -> SyntheticLog {
    let frame = MotionFrame::Axis {
        surface: 0.12,
        outward: seed.is_multiple_of(2),
    };
    let mut recipe = SyntheticLog::new(LAW, motion, frame);
    recipe.seed = seed;
    recipe.sensor.force_noise = 0.03;
    recipe.sensor.pressing_positive = seed % 4 < 2;
    recipe
}

/// Adds a force to the log that is a function of time [s], indentation [m] and rate [m/s].
fn with(recipe: &SyntheticLog, added: impl Fn(f64, f64, f64) -> f64) -> Log {
    let truth = recipe.truth();
    let mut log = recipe.generate();
    let Channel::Scalar(force) = &mut log.force else {
        panic!("a scalar force")
    };
    let sign = if recipe.sensor.pressing_positive {
        1.0
    } else {
        -1.0
    };
    for (row, force) in force.iter_mut().enumerate() {
        *force += sign * added(truth.time[row], truth.indentation[row], truth.velocity[row]);
    }
    log
}

fn fitted(log: &Log) -> Calibration {
    let mut options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    };
    options.prepare.force_latency_error = Some(0.0);
    calibrate(log, &options).unwrap()
}

fn has(found: &Calibration, what: &str) -> bool {
    found
        .prepared
        .choices
        .iter()
        .any(|choice| choice.what == what)
}

fn covers(found: &Calibration, truth: f64) -> bool {
    let [low, high] = found.fit.parameter("stiffness").unwrap().ci95;
    (low..=high).contains(&truth)
}

#[test]
fn a_line_over_the_position_is_removed_with_its_error() {
    let (mut covered, mut n) = (0, 0);
    for slope in [-60.0, 10.0, 60.0, 120.0] {
        for seed in 0..12 {
            let log = with(&recipe(seed, Trajectory::press()), |_, r, _| slope * r);
            let found = fitted(&log);
            assert!(has(&found, "force baseline"), "{slope} N/m, seed {seed}");
            let stiffness = found.fit.parameter("stiffness").unwrap();
            assert!(
                (stiffness.value / STIFFNESS - 1.0).abs() < 0.02,
                "{stiffness:?}"
            );
            let error = found.prepared.samples.contact.standard_error;
            assert!(error < 2e-4, "{error}");
            covered += usize::from(covers(&found, STIFFNESS));
            n += 1;
        }
    }
    // Of 48 intervals of 95 %, fewer than 40 cover with probability 0.1 %.
    assert!(covered >= 40, "{covered} of {n}");
}

#[test]
fn position_and_time_are_separated_by_air_on_both_sides() {
    for seed in 0..8 {
        let log = with(&recipe(seed, Trajectory::press()), |t, r, _| {
            0.1 * t + 40.0 * r
        });
        let found = fitted(&log);
        assert!(has(&found, "force baseline") && has(&found, "force drift"));
        let stiffness = found.fit.parameter("stiffness").unwrap();
        assert!(
            (stiffness.value / STIFFNESS - 1.0).abs() < 0.02,
            "{stiffness:?}"
        );
    }
}

#[test]
fn an_approach_that_does_not_separate_time_from_position_covers_both() {
    // One speed from the first sample on, and no air after the press.
    let motion = || Trajectory::new(-0.02, &[step(0.008, 0.01), Segment::Hold(2.0)]);
    for seed in 0..6 {
        let mut recipe = recipe(seed, motion());
        recipe.sensor.position_noise = 1e-6;
        for added in [0, 1] {
            let log = with(&recipe, |t, r, _| {
                // Equal in air.
                if added == 0 { 0.6 * t } else { 60.0 * r }
            });
            let mut log = log;
            let moving: Vec<usize> = (60..log.len()).collect();
            log = log.rows(&moving);
            let found = fitted(&log);
            assert!(
                covers(&found, STIFFNESS),
                "{added}: {:?}",
                found.fit.parameters
            );
            let notes = &found.prepared.notes;
            assert!(
                notes
                    .iter()
                    .any(|note| note.contains("with time or with position")),
                "{notes:?}"
            );
        }
    }
}

#[test]
fn drag_and_inertia_of_a_quick_approach_are_not_removed() {
    let quick = || {
        Trajectory::new(
            -0.02,
            &[
                Segment::Hold(0.5),
                step(0.008, 0.04),
                Segment::Hold(1.0),
                step(-0.02, 0.04),
                Segment::Hold(0.5),
            ],
        )
    };
    for seed in 0..10 {
        let mut heavy = recipe(seed, quick());
        heavy.mass = 0.4;
        for log in [
            heavy.generate(),
            with(&recipe(seed, quick()), |_, _, v| 8.0 * v),
            recipe(seed, quick()).generate(),
            recipe(seed, Trajectory::press()).generate(),
            recipe(seed, Trajectory::rich()).generate(),
        ] {
            assert!(!has(&fitted(&log), "force baseline"), "seed {seed}");
        }
    }
}

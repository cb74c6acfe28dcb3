//! A probe that slides over a surface while it presses: normal, stiffness and damping from the whole log, without a
//! known surface.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::f64::consts::TAU;

use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, Log, ModelChoice, Motion, calibrate,
};

const LAW: Law = Law::KelvinVoigt {
    stiffness: 900.0,
    damping: 12.0,
};
/// 30° off the vertical.
const NORMAL: [f64; 3] = [0.5, 0.0, 0.866_025_403_784_438_6];
/// Downhill direction of that slope.
const TANGENT: [f64; 3] = [0.866_025_403_784_438_6, 0.0, -0.5];

fn sine(preload: f64, amplitude: f64) -> Trajectory {
    let press = Segment::Sine {
        amplitude,
        frequency: 2.0,
        cycles: 24.0,
        fade: 0.0,
    };
    Trajectory::new(preload, &[press])
}

/// Slides at 8 mm/s, while the surface rises and falls by 2 mm.
fn slid(recipe: &SyntheticLog) -> Log {
    let mut log = recipe.generate();
    let time = log.time.clone();
    for (position, time) in positions(&mut log).iter_mut().zip(time) {
        let height = 0.002 * (TAU * time / 8.0).sin();
        for axis in 0..3 {
            position[axis] += 0.008 * time * TANGENT[axis] + height * NORMAL[axis];
        }
    }
    log.velocity = None;
    log
}

fn positions(log: &mut Log) -> &mut Vec<[f64; 3]> {
    match &mut log.motion {
        Motion::Position(Channel::Vector(positions)) => positions,
        _ => panic!("positions in space"),
    }
}

fn forces(log: &mut Log) -> &mut Vec<[f64; 3]> {
    match &mut log.force {
        Channel::Vector(forces) => forces,
        Channel::Scalar(_) => panic!("forces in space"),
    }
}

fn recipe(motion: Trajectory) -> SyntheticLog {
    let frame = MotionFrame::Space {
        surface: [0.4, 0.1, 0.2],
        normal: NORMAL,
    };
    let mut recipe = SyntheticLog::new(LAW, motion, frame);
    recipe.sensor.bias = [0.0; 3];
    recipe
}

fn fitted(log: &Log, model: &'static str) -> Calibration {
    let mut options = CalibrationOptions {
        model: ModelChoice::Named(model),
        ..CalibrationOptions::default()
    };
    // These sensors are read at the same instant.
    options.prepare.force_latency_error = Some(0.0);
    calibrate(log, &options).unwrap()
}

/// Angle between the slope's normal and the normal reported by the preparation [°].
fn off(found: &Calibration) -> f64 {
    let choices = &found.prepared.choices;
    let stated = choices
        .iter()
        .find(|choice| choice.what == "surface normal");
    let axes = stated.unwrap().value.trim_matches(['(', ')']).to_owned();
    let axes: Vec<f64> = axes.split(", ").map(|axis| axis.parse().unwrap()).collect();
    let cosine: f64 = axes.iter().zip(NORMAL).map(|(a, b)| a * b).sum();
    cosine.min(1.0).acos().to_degrees()
}

/// Within the interval, or slightly outside, as expected for one log in twenty.
fn check(found: &Calibration, name: &str, truth: f64) {
    let parameter = found.fit.parameter(name).unwrap();
    assert!(parameter.identifiable, "{parameter:?}");
    let error = (parameter.value - truth).abs();
    assert!(error < 3.0 * parameter.standard_error, "{parameter:?}");
    assert!(parameter.standard_error < 0.03 * truth, "{parameter:?}");
}

#[test]
fn normal_and_stiffness_of_a_slope_with_drifting_height_are_recovered() {
    for (seed, pressing_positive) in [(1, true), (2, false)] {
        let mut recipe = recipe(sine(0.005, 0.002));
        recipe.seed = seed;
        recipe.sensor.pressing_positive = pressing_positive;
        recipe.sensor.bias_drift = 0.5;
        let found = fitted(&slid(&recipe), "kelvin-voigt");
        assert!(off(&found) < 1.0, "{}°", off(&found));
        check(&found, "stiffness", 900.0);
        check(&found, "damping", 12.0);
        assert_eq!(found.prepared.samples.presses.len(), 7);
    }
}

#[test]
fn one_force_sensor_along_the_tool_is_enough() {
    let mut log = slid(&recipe(sine(0.005, 0.002)));
    let along = |force: &[f64; 3]| -> f64 { force.iter().zip(NORMAL).map(|(f, n)| f * n).sum() };
    log.force = Channel::Scalar(forces(&mut log).iter().map(along).collect());
    let found = fitted(&log, "kelvin-voigt");
    assert!(off(&found) < 1.0, "{}°", off(&found));
    check(&found, "stiffness", 900.0);
}

#[test]
fn a_probe_may_leave_the_tissue_between_presses() {
    let found = fitted(&slid(&recipe(sine(0.001, 0.003))), "kelvin-voigt");
    assert!(off(&found) < 1.0, "{}°", off(&found));
    check(&found, "stiffness", 900.0);
    let notes = &found.prepared.notes;
    assert!(
        notes.iter().any(|note| note.contains("left the tissue")),
        "{notes:?}"
    );
}

#[test]
fn fast_sideways_motion_does_not_change_the_normal() {
    let mut log = slid(&recipe(sine(0.005, 0.002)));
    let time = log.time.clone();
    // Circles with a radius of 4 mm at 5 Hz: twice the amplitude of the press, and at another rate.
    for (position, time) in positions(&mut log).iter_mut().zip(time) {
        let (sin, cos) = (TAU * 5.0 * time).sin_cos();
        for axis in 0..3 {
            position[axis] += 0.004 * sin * TANGENT[axis];
        }
        position[1] += 0.004 * cos;
    }
    let found = fitted(&log, "kelvin-voigt");
    assert!(off(&found) < 5.0, "{}°", off(&found));
    check(&found, "stiffness", 900.0);
}

#[test]
fn friction_makes_the_normal_uncertain_and_is_reported() {
    let mut log = slid(&recipe(sine(0.005, 0.002)));
    for force in forces(&mut log) {
        let along: f64 = force.iter().zip(NORMAL).map(|(f, n)| f * n).sum();
        for axis in 0..3 {
            force[axis] += 0.3 * along * TANGENT[axis];
        }
    }
    let found = fitted(&log, "kelvin-voigt");
    assert!(off(&found) < 5.0, "{}°", off(&found));
    let choices = &found.prepared.choices;
    let normal = choices
        .iter()
        .find(|choice| choice.what == "surface normal")
        .unwrap();
    assert!(normal.how.contains("in doubt by 17°"), "{}", normal.how);
}

#[test]
fn a_law_that_needs_the_surface_names_one_that_works() {
    let log = slid(&recipe(sine(0.005, 0.002)));
    let divided = CalibrationOptions {
        model: ModelChoice::Named("divided"),
        ..CalibrationOptions::default()
    };
    let refused = calibrate(&log, &divided).unwrap_err().to_string();
    assert!(refused.contains("--model kelvin-voigt"), "{refused}");
    check(&fitted(&log, "kelvin-voigt"), "stiffness", 900.0);
    let options = CalibrationOptions {
        model: ModelChoice::Auto,
        ..CalibrationOptions::default()
    };
    assert_eq!(calibrate(&log, &options).unwrap().fit.model, "kelvin-voigt");
}

#[test]
fn different_stiffness_along_the_path_is_reported() {
    // The second half of the path is a third softer.
    let mut log = slid(&recipe(sine(0.005, 0.002)));
    let half = log.len() / 2;
    for force in &mut forces(&mut log)[half..] {
        for axis in force.iter_mut() {
            *axis *= 2.0 / 3.0;
        }
    }
    let warnings = fitted(&log, "kelvin-voigt").warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("differs along the path")),
        "{warnings:?}"
    );
}

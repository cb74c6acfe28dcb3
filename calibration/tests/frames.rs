//! Force and position in different frames, the weight of the tool, and a probe that yields sideways: the fitted
//! stiffness matches the recipe.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::f64::consts::TAU;

use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, ForceFrame, Log, ModelChoice, Motion, Parameter,
    PrepareOptions, calibrate, prepare,
};
use nalgebra::{UnitQuaternion, Vector3};

const STIFFNESS: f64 = 900.0;
const LAW: Law = Law::KelvinVoigt {
    stiffness: STIFFNESS,
    damping: 12.0,
};
const GRAVITY: f64 = 9.806_65;

fn options() -> CalibrationOptions {
    CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    }
}

fn fitted(log: &Log) -> Calibration {
    calibrate(log, &options()).unwrap()
}

fn stiffness(found: &Calibration) -> &Parameter {
    found.fit.parameter("stiffness").unwrap()
}

fn covers(found: &Calibration) -> bool {
    let [low, high] = stiffness(found).ci95;
    (low..=high).contains(&STIFFNESS)
}

fn choice<'a>(found: &'a Calibration, what: &str) -> Option<&'a str> {
    let mut choices = found.prepared.choices.iter();
    choices
        .find(|choice| choice.what == what)
        .map(|choice| choice.value.as_str())
}

fn forces(log: &mut Log) -> &mut Vec<[f64; 3]> {
    match &mut log.force {
        Channel::Vector(forces) => forces,
        Channel::Scalar(_) => panic!("forces in space"),
    }
}

fn positions(log: &mut Log) -> &mut Vec<[f64; 3]> {
    match &mut log.motion {
        Motion::Position(Channel::Vector(positions)) => positions,
        _ => panic!("positions in space"),
    }
}

/// A press along a normal that the seed tilts about different axes, with a force of either sign.
fn press(seed: u64) -> SyntheticLog {
    let turn = UnitQuaternion::from_scaled_axis(0.1 * seed as f64 * Vector3::new(0.3, 1.0, -0.5));
    let frame = MotionFrame::Space {
        surface: [0.4, 0.1, 0.2],
        normal: (turn * Vector3::z()).into(),
    };
    let mut recipe = SyntheticLog::new(LAW, Trajectory::press(), frame);
    recipe.seed = seed;
    recipe.sensor.pressing_positive = seed.is_multiple_of(2);
    recipe.sensor.bias_drift = 0.0;
    recipe
}

/// A rotation by an angle about an axis perpendicular to the normal, which depends on the seed.
fn tilt(recipe: &SyntheticLog, degrees: f64) -> UnitQuaternion<f64> {
    let MotionFrame::Space { normal, .. } = recipe.frame else {
        panic!("a press in space")
    };
    let normal = Vector3::from(normal);
    let across = normal
        .cross(&Vector3::new((recipe.seed % 8) as f64, 1.0, 2.0))
        .normalize();
    UnitQuaternion::from_scaled_axis(across * degrees.to_radians())
}

fn written(turn: &UnitQuaternion<f64>) -> [f64; 4] {
    [turn.w, turn.i, turn.j, turn.k]
}

/// The log with its force in the frame of a tool, whose orientation is recorded.
fn in_tool(mut log: Log, turn: &UnitQuaternion<f64>) -> Log {
    for force in forces(&mut log) {
        *force = (turn.inverse() * Vector3::from(*force)).into();
    }
    log.frames.force_to_motion = vec![written(turn); log.len()];
    log
}

fn named(mut log: Log, force: &str, motion: &str) -> Log {
    log.frames.force = Some(force.to_owned());
    log.frames.motion = Some(motion.to_owned());
    log
}

/// Of 40 intervals of 95 %, fewer than 33 cover with probability 0.1 %.
#[test]
fn a_force_in_the_tools_frame_is_rotated() {
    let mut covered = 0;
    for seed in 0..40 {
        let recipe = press(seed);
        let angle = 15.0 + 3.5 * seed as f64;
        let log = in_tool(recipe.generate(), &tilt(&recipe, angle));
        // By the frames' names, by one rotation for all samples, or by the direction of the force.
        let log = match seed % 3 {
            0 => named(log, "tool0", "base"),
            1 => {
                let mut log = named(log, "tool0", "base");
                log.frames.force_to_motion.truncate(1);
                log
            }
            _ => log,
        };
        let found = fitted(&log);
        assert!(choice(&found, "force frame").unwrap().contains("turned"));
        let stiffness = stiffness(&found);
        assert!(
            stiffness.standard_error < 0.005 * STIFFNESS,
            "{stiffness:?}"
        );
        covered += usize::from(covers(&found));
    }
    assert!(covered >= 33, "{covered}");
}

#[test]
fn a_force_that_was_rotated_before_is_unchanged() {
    for seed in 0..6 {
        let recipe = press(seed);
        let plain = recipe.generate();
        let mut log = plain.clone();
        log.frames.force_to_motion =
            vec![written(&tilt(&recipe, 20.0 + 10.0 * seed as f64)); log.len()];
        let found = fitted(&log);
        let expected = fitted(&plain);
        assert_eq!(choice(&found, "force frame"), Some("that of the position"));
        assert_eq!(stiffness(&found).value, stiffness(&expected).value);
        let named = fitted(&named(plain, "/base", "base"));
        assert_eq!(stiffness(&named).value, stiffness(&expected).value);
    }
}

#[test]
fn different_frames_without_an_orientation_are_refused() {
    let recipe = press(3);
    let log = named(recipe.generate(), "tool0", "base");
    let problem = calibrate(&log, &options())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    for part in ["\"tool0\"", "\"base\"", "orientation", "--force-frame base"] {
        assert!(problem.contains(part), "{problem}");
    }
    // The advice works.
    let mut told = options();
    told.prepare.force_frame = ForceFrame::Motion;
    assert!(covers(&calibrate(&log, &told).unwrap()));
    told.prepare.force_frame = ForceFrame::Tool;
    let problem = calibrate(&log, &told).map(|_| ()).unwrap_err().to_string();
    assert!(problem.contains("orientation"), "{problem}");
}

#[test]
fn an_ambiguous_frame_of_the_force_is_refused() {
    let recipe = press(4);
    let mut log = recipe.generate();
    // Friction tilts the force by 12°; in the tool's frame, it is tilted by 18° to the other side.
    let friction = tilt(&recipe, 12.0);
    for force in forces(&mut log) {
        *force = (friction * Vector3::from(*force)).into();
    }
    let log = in_tool(log, &tilt(&recipe, 30.0));
    let problem = calibrate(&log, &options())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(problem.contains("--force-frame tool"), "{problem}");
    let mut told = options();
    told.prepare.force_frame = ForceFrame::Tool;
    let found = calibrate(&log, &told).unwrap();
    assert!(covers(&found), "{:?}", stiffness(&found));
}

#[test]
fn an_unknown_frame_widens_the_interval_and_is_reported() {
    for seed in 0..8 {
        let recipe = press(seed);
        let angle = 8.0 + 5.0 * seed as f64;
        let mut log = in_tool(recipe.generate(), &tilt(&recipe, angle));
        log.frames.force_to_motion.clear();
        let found = fitted(&log);
        assert!(covers(&found), "{angle}°: {:?}", stiffness(&found));
        let note = format!("{angle:.0}° away from the motion");
        let notes = &found.prepared.notes;
        if angle > 10.0 {
            assert!(notes.iter().any(|told| told.contains(&note)), "{notes:?}");
        }
        // As wide as the uncertainty of the angle, and bounded.
        let open = 1.0 / angle.to_radians().cos() - 1.0;
        let error = stiffness(&found).standard_error / STIFFNESS;
        assert!(error < 0.01 + 1.5 * open, "{angle}°: {error}");
    }
}

#[test]
fn a_good_log_in_space_has_no_warning_about_its_frame() {
    for seed in 0..6 {
        let found = fitted(&press(seed).generate());
        let notes = &found.prepared.notes;
        assert!(
            !notes.iter().any(|note| note.contains("away from")),
            "{notes:?}"
        );
        assert!(stiffness(&found).standard_error < 0.004 * STIFFNESS);
    }
}

#[test]
fn an_invalid_rotation_is_refused() {
    let recipe = press(1);
    let mut log = in_tool(recipe.generate(), &tilt(&recipe, 30.0));
    log.frames.force_to_motion[7] = [0.0; 4];
    let problem = prepare(&log, &PrepareOptions::default())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(problem.contains("sample 8"), "{problem}");
    log.frames.force_to_motion.truncate(5);
    let problem = prepare(&log, &PrepareOptions::default())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(problem.contains("orientations is 5"), "{problem}");
}

/// A tool of this mass that tilts in free air and continues in contact, and a bias that rotates with it.
fn weighed(recipe: &SyntheticLog, mass: f64, bias: Vector3<f64>) -> Log {
    let mut log = recipe.generate();
    let time = log.time.clone();
    let turns: Vec<_> = time
        .iter()
        .map(|t| tilt(recipe, 20.0 + 25.0 * (TAU * t / 1.2).sin()))
        .collect();
    let weight = Vector3::new(0.0, 0.0, -mass * GRAVITY);
    for (force, turn) in forces(&mut log).iter_mut().zip(&turns) {
        *force = (turn.inverse() * (Vector3::from(*force) + weight) + bias).into();
    }
    log.frames.force_to_motion = turns.iter().map(written).collect();
    named(log, "tool0", "base")
}

#[test]
fn weight_and_bias_of_a_rotating_tool_are_removed() {
    let mut covered = 0;
    for seed in 0..20 {
        // Tilted about an axis that is not near the vertical: a rotation about the vertical does not change the
        // weight.
        let mut recipe = press(seed % 8);
        recipe.seed = 100 + seed;
        recipe.sensor.bias = [0.0; 3];
        let mass = 0.2 + 0.04 * seed as f64;
        let found = fitted(&weighed(&recipe, mass, Vector3::new(0.8, -0.5, 1.2)));
        let stated = choice(&found, "tool mass").unwrap();
        let numbers: Vec<f64> = stated
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!((numbers[0] - mass).abs() < 4.0 * numbers[1], "{stated}");
        assert!(numbers[1] < 0.02, "{stated}");
        let stiffness = stiffness(&found);
        assert!(stiffness.standard_error < 0.01 * STIFFNESS, "{stiffness:?}");
        covered += usize::from(covers(&found));
    }
    // Of 20 intervals of 95 %, fewer than 16 cover with probability 0.3 %.
    assert!(covered >= 16, "{covered}");
}

#[test]
fn a_weight_that_free_air_does_not_determine_is_reported() {
    let mut recipe = press(2);
    recipe.sensor.bias = [0.0; 3];
    let mut log = recipe.generate();
    // The tool rotates only in contact.
    let turns: Vec<_> = log
        .time
        .iter()
        .map(|t| tilt(&recipe, 5.0 * (t - 2.0).clamp(0.0, 2.0)))
        .collect();
    for (force, turn) in forces(&mut log).iter_mut().zip(&turns) {
        *force = (turn.inverse() * Vector3::from(*force)).into();
    }
    log.frames.force_to_motion = turns.iter().map(written).collect();
    let found = fitted(&named(log, "tool0", "base"));
    assert_eq!(choice(&found, "tool mass"), None);
    let notes = &found.prepared.notes;
    assert!(
        notes.iter().any(|note| note.contains("its weight")),
        "{notes:?}"
    );
}

/// A probe that slides at 8 mm/s while it presses at 2 Hz, and yields sideways by a share of the press, in a fixed or
/// rotating direction.
fn palpated(seed: u64, share: f64, turning: f64) -> Log {
    let sine = Segment::Sine {
        amplitude: 0.002,
        frequency: 2.0,
        cycles: 36.0,
        fade: 0.0,
    };
    let frame = MotionFrame::Space {
        surface: [0.4, 0.1, 0.2],
        normal: [0.0, 0.0, 1.0],
    };
    let mut recipe = SyntheticLog::new(LAW, Trajectory::new(0.005, &[sine]), frame);
    recipe.seed = seed;
    recipe.sensor.bias = [0.0; 3];
    recipe.sensor.velocity_logged = false;
    recipe.sensor.pressing_positive = seed.is_multiple_of(2);
    let truth = recipe.truth();
    let mut log = recipe.generate();
    let rows = truth.time.iter().zip(&truth.indentation);
    for (position, (time, depth)) in positions(&mut log).iter_mut().zip(rows) {
        let (sin, cos) = (turning * TAU * time + seed as f64).sin_cos();
        position[0] += 0.008 * time + share * depth * cos;
        position[1] += share * depth * sin;
    }
    log
}

#[test]
fn the_interval_covers_the_stiffness_if_a_sliding_probe_yields_sideways() {
    for seed in 0..10 {
        // One rotation over the log: each segment has another direction of motion, and the force has one direction.
        let found = fitted(&palpated(seed, 0.2 + 0.03 * seed as f64, 1.0 / 18.0));
        assert!(covers(&found), "{:?}", stiffness(&found));
        let error = stiffness(&found).value / STIFFNESS - 1.0;
        assert!(error.abs() < 0.03, "{error}");
        // A fixed direction: motion and force give different normals.
        let found = fitted(&palpated(seed, 0.2 + 0.03 * seed as f64, 0.0));
        assert!(covers(&found), "{:?}", stiffness(&found));
        assert!(stiffness(&found).identifiable);
        let notes = &found.prepared.notes;
        let told = notes.iter().any(|note| note.contains("--normal"));
        assert!(told, "{notes:?}");
        // The advice works.
        let mut given = options();
        given.prepare.normal = Some([0.0, 0.0, 1.0]);
        let found = calibrate(&palpated(seed, 0.3, 0.0), &given).unwrap();
        let error = stiffness(&found).value / STIFFNESS - 1.0;
        assert!(error.abs() < 0.01, "{error}");
    }
}

#[test]
fn a_straight_palpation_keeps_a_narrow_interval() {
    for seed in 0..4 {
        let found = fitted(&palpated(seed, 0.0, 0.0));
        let stiffness = stiffness(&found);
        assert!((stiffness.value / STIFFNESS - 1.0).abs() < 0.01);
        assert!(stiffness.standard_error < 0.01 * STIFFNESS, "{stiffness:?}");
    }
}

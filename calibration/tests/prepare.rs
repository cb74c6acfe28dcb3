//! Preparation recovers the settings of a synthetic log: bias, surface, signs, normal, velocity, window. Standard
//! errors match the scatter over many seeds.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::synthetic::{
    Law, MotionFrame, Segment, Sensor, SyntheticLog, Trajectory,
};
use insonate_calibration::{
    Channel, ForceBias, ForceLatency, ForceSign, Log, LogFrames, LogSource, Motion, PrepareOptions,
    PreparedLog, VelocitySource, prepare,
};

const KELVIN_VOIGT: Law = Law::KelvinVoigt {
    stiffness: 1324.17,
    damping: 17.59,
};
const HUNT_CROSSLEY: Law = Law::HuntCrossley {
    kappa: 2e4,
    lambda: 300.0,
    n: 1.5,
    m: 0.5,
};
const SOLID: Law = Law::StandardLinearSolid {
    stiffness: 1000.0,
    branch_stiffness: 600.0,
    relaxation_time: 0.1,
};
const AXIS: MotionFrame = MotionFrame::Axis {
    surface: 0.12,
    outward: true,
};

fn prepared(log: &Log) -> PreparedLog {
    prepare(log, &PrepareOptions::default()).unwrap()
}

fn problem(log: &Log) -> String {
    prepare(log, &PrepareOptions::default())
        .unwrap_err()
        .to_string()
}

/// Estimated minus true depth of the surface [m], for a 1-D log with outward positions and its surface at 0.12 m.
fn onset_error(log: &Log, prepared: &PreparedLog) -> f64 {
    let Motion::Position(Channel::Scalar(position)) = &log.motion else {
        panic!("positions along an axis")
    };
    let first = prepared.samples.time[0];
    let row = log.time.iter().position(|time| *time == first).unwrap();
    (0.12 - position[row]) - prepared.samples.indentation[0]
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (square / (n - 1.0)).sqrt())
}

/// 400 seeds: the binomial standard deviation of 95 % is 1.1 %, so 93 to 97 % is within two of it; the seeds are
/// fixed.
#[test]
fn bias_intervals_cover_the_truth() {
    let n = 400;
    let mut covered = 0;
    for seed in 0..n {
        let mut recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::press(), AXIS);
        recipe.seed = seed;
        // With a given surface there is no onset to estimate; that case has separate tests.
        let options = PrepareOptions {
            surface: Some(0.12),
            ..PrepareOptions::default()
        };
        let found = prepare(&recipe.generate(), &options).unwrap();
        let error = (found.force_bias + 1.1) / found.samples.bias_standard_error;
        assert!(error.abs() < 4.0);
        covered += usize::from(error.abs() < 1.96);
    }
    let share = covered as f64 / n as f64;
    assert!((0.93..=0.97).contains(&share), "{share}");
}

/// The rate depends on the seed, so contact falls anywhere between two samples.
fn check_onset(law: Law) {
    let (mut errors, mut squares, mut bias) = (Vec::new(), 0.0, 0.0);
    for seed in 0..200 {
        let mut recipe = SyntheticLog::new(law, Trajectory::press(), AXIS);
        recipe.seed = seed;
        recipe.rate = 500.0 + seed as f64 * 0.37;
        let log = recipe.generate();
        let found = prepared(&log);
        squares += found.samples.contact.standard_error.powi(2);
        errors.push(onset_error(&log, &found));
        bias += (found.force_bias + 1.1) / found.samples.bias_standard_error;
    }
    let n = errors.len() as f64;
    // No early contact leaks into the air.
    assert!(bias.abs() / n.sqrt() < 3.0, "{law:?}: bias {bias}");
    let (mean, deviation) = moments(&errors);
    assert!(
        mean.abs() < 3.0 * deviation / n.sqrt(),
        "{law:?}: mean {mean}, scatter {deviation}"
    );
    let stated = (squares / n).sqrt();
    assert!(
        (stated / deviation - 1.0).abs() < 0.25,
        "{law:?}: stated {stated}, scatter {deviation}"
    );
}

#[test]
fn onset_is_unbiased_for_kelvin_voigt() {
    check_onset(KELVIN_VOIGT);
}

#[test]
fn onset_is_unbiased_for_hunt_crossley() {
    check_onset(HUNT_CROSSLEY);
}

#[test]
fn onset_is_unbiased_for_the_standard_linear_solid() {
    check_onset(SOLID);
}

fn polynomial_log(time: Vec<f64>) -> Log {
    let indentation = time
        .iter()
        .map(|t| 0.01 + 0.004 * t - 0.003 * t * t + 0.002 * t.powi(3) - 5e-4 * t.powi(4))
        .collect();
    let force = time.iter().map(|t| 10.0 + t).collect();
    Log {
        source: LogSource::default(),
        time,
        motion: Motion::Indentation(indentation),
        velocity: None,
        force: Channel::Scalar(force),
        frames: LogFrames::default(),
    }
}

/// A quartic is its own least-squares fit: only rounding (1e-16 m over 10 ms windows) remains.
#[test]
fn velocity_of_a_quartic_is_exact() {
    let even: Vec<f64> = (0..600).map(|row| f64::from(row) * 0.002).collect();
    let uneven: Vec<f64> = (0..600)
        .map(|row| 0.002 * (f64::from(row) + 0.4 * (f64::from(row) * 1.7).sin()))
        .collect();
    let gap: Vec<f64> = even
        .iter()
        .map(|t| if *t > 0.6 { t + 0.3 } else { *t })
        .collect();
    for time in [even, uneven, gap] {
        for window in [5, 11, 31] {
            let options = PrepareOptions {
                velocity: VelocitySource::Estimated { window, order: 4 },
                ..PrepareOptions::default()
            };
            let found = prepare(&polynomial_log(time.clone()), &options).unwrap();
            assert_eq!(found.samples.len(), 600);
            for (t, velocity) in found.samples.time.iter().zip(&found.samples.velocity) {
                let exact = 0.004 - 0.006 * t + 0.006 * t * t - 0.002 * t.powi(3);
                assert!((velocity - exact).abs() < 1e-10, "{window} {t}");
            }
        }
    }
}

#[test]
fn velocity_is_estimated_with_the_stated_noise() {
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(20.0),
        MotionFrame::Indentation,
    );
    recipe.sensor.velocity_logged = false;
    recipe.sensor.position_noise = 2e-5;
    let found = prepared(&recipe.generate());
    let truth = recipe.truth();
    let errors: Vec<f64> = found
        .samples
        .velocity
        .iter()
        .zip(&truth.velocity)
        .map(|(found, truth)| found - truth)
        .collect();
    let (_, deviation) = moments(&errors);
    // 5000 samples, correlated over some tens of neighbours: 5 % of a standard deviation; the ends are noisier.
    assert!((deviation / found.samples.velocity_noise - 1.0).abs() < 0.15);
    let (_, motion) = moments(&truth.velocity);
    assert!((deviation / motion).powi(2) < 0.006);
}

#[test]
fn the_logged_velocity_is_checked_against_the_position() {
    let recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(10.0),
        MotionFrame::Indentation,
    );
    let scaled = |factor: f64| {
        let mut log = recipe.generate();
        let Some(Channel::Scalar(velocity)) = &mut log.velocity else {
            panic!("a logged velocity")
        };
        for value in velocity.iter_mut() {
            *value *= factor;
        }
        prepared(&log)
    };
    let noted =
        |found: &PreparedLog, text: &str| found.notes.iter().any(|note| note.contains(text));
    let (right, wide, turned) = (scaled(1.0), scaled(1.07), scaled(-1.0));
    assert!(!noted(&right, "logged velocity"));
    assert!(noted(&wide, "1.07"));
    assert!(noted(&turned, "opposite sense"));
    assert_eq!(right.samples.velocity, turned.samples.velocity);
    // 0.1 mm/s of noise; 5000 samples determine it to 1 %, the median to 2 %.
    assert!((right.samples.velocity_noise / 1e-4 - 1.0).abs() < 0.08);
}

#[test]
fn the_normal_is_estimated_within_a_degree() {
    for normal in [[0.0, 0.0, 1.0], [0.3, -0.4, 2.0], [1.0, 0.2, -0.3]] {
        for pressing_positive in [true, false] {
            let frame = MotionFrame::Space {
                surface: [0.4, 0.1, 0.2],
                normal,
            };
            let mut recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::press(), frame);
            recipe.sensor.pressing_positive = pressing_positive;
            let found = prepared(&recipe.generate());
            let stated = found
                .choices
                .iter()
                .find(|choice| choice.what == "surface normal")
                .unwrap();
            let axes: Vec<f64> = stated
                .value
                .trim_matches(['(', ')'])
                .split(", ")
                .map(|axis| axis.parse().unwrap())
                .collect();
            let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
            let cosine: f64 = (0..3).map(|axis| axes[axis] * normal[axis] / length).sum();
            assert!(cosine > 1.0_f64.to_radians().cos(), "{normal:?} {axes:?}");
            let deepest = found
                .samples
                .indentation
                .iter()
                .fold(0.0, |m: f64, r| m.max(*r));
            assert!((deepest - 0.008).abs() < 1e-4);
        }
    }
}

#[test]
fn signs_of_force_and_position_are_detected() {
    for outward in [true, false] {
        for pressing_positive in [true, false] {
            let frame = MotionFrame::Axis {
                surface: -0.3,
                outward,
            };
            let mut recipe = SyntheticLog::new(HUNT_CROSSLEY, Trajectory::press(), frame);
            recipe.sensor.pressing_positive = pressing_positive;
            let found = prepared(&recipe.generate());
            let bias = if pressing_positive { -1.1 } else { 1.1 };
            assert!((found.force_bias - bias).abs() < 0.01);
            let truth = recipe.truth();
            for (row, time) in found.samples.time.iter().enumerate() {
                let index = truth.time.iter().position(|t| t == time).unwrap();
                assert!((found.samples.indentation[row] - truth.indentation[index]).abs() < 2.5e-4);
                assert!((found.samples.velocity[row] - truth.velocity[index]).abs() < 6e-4);
                assert!((found.samples.force[row] - truth.force[index]).abs() < 0.3);
            }
        }
    }
}

#[test]
fn a_given_indentation_is_used_whole() {
    let recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(10.0),
        MotionFrame::Indentation,
    );
    let log = recipe.generate();
    let found = prepared(&log);
    assert_eq!(found.samples.len(), log.len());
    assert_eq!(found.force_bias, 0.0);
    assert!(found.samples.contact.known);
    assert!(found.notes.iter().any(|note| note.contains("no free air")));
}

#[test]
fn a_known_surface_and_bias_replace_the_estimates() {
    let recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::palpation(10.0), AXIS);
    let log = recipe.generate();
    let unknown = prepared(&log);
    assert!(unknown.samples.contact.is_unknown());
    assert!(
        unknown
            .notes
            .iter()
            .any(|note| note.contains("starts in contact"))
    );
    let options = PrepareOptions {
        bias: ForceBias::Known(-1.1),
        surface: Some(0.12),
        sign: ForceSign::PressingPositive,
        ..PrepareOptions::default()
    };
    let found = prepare(&log, &options).unwrap();
    assert_eq!(found.samples.len(), log.len());
    let truth = recipe.truth();
    for row in 0..log.len() {
        assert!((found.samples.indentation[row] - truth.indentation[row]).abs() < 5e-5);
    }
}

#[test]
fn latency_is_corrected() {
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(10.0),
        MotionFrame::Indentation,
    );
    recipe.sensor = Sensor {
        force_latency: 0.007,
        ..Sensor::perfect()
    };
    let options = PrepareOptions {
        force_latency: Some(ForceLatency::Known(0.007)),
        ..PrepareOptions::default()
    };
    let found = prepare(&recipe.generate(), &options).unwrap();
    recipe.sensor.force_latency = 0.0;
    let truth = recipe.truth();
    for row in 10..found.samples.len() {
        // Linear between samples: a ω² dt²/8 = 5e-4 of 4 N.
        assert!((found.samples.force[row] - truth.force[row]).abs() < 2e-3);
    }
}

#[test]
fn several_presses_are_one_window_without_the_air_between() {
    let press = |to| Segment::Move {
        to,
        speed: 0.02,
        ramp: 0.1,
    };
    let motion = Trajectory::new(
        -0.005,
        &[
            Segment::Hold(0.5),
            press(0.006),
            press(-0.005),
            Segment::Hold(0.5),
            press(0.006),
            press(-0.005),
            Segment::Hold(0.5),
        ],
    );
    let found = prepared(&SyntheticLog::new(KELVIN_VOIGT, motion, AXIS).generate());
    let window = found.choices.iter().find(|choice| choice.what == "window");
    assert!(window.unwrap().how.starts_with("2 presses"));
    assert!(found.samples.indentation.iter().all(|r| *r > 0.0));
}

#[test]
fn clipped_force_is_left_out_or_refused() {
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(20.0),
        MotionFrame::Indentation,
    );
    recipe.sensor.force_noise = 0.005;
    let log = recipe.generate();
    // The recorded force varies from 1.5 to 9.55 N; 4 % of the samples are within 0.03 N of the top.
    let clip = |limit: f64| {
        let mut log = log.clone();
        let Channel::Scalar(force) = &mut log.force else {
            panic!("a scalar force")
        };
        for force in force.iter_mut() {
            *force = force.min(limit);
        }
        log
    };
    let found = prepared(&clip(9.52));
    assert!(found.notes.iter().any(|note| note.contains("clipped")));
    assert!(problem(&clip(5.0)).contains("saturated"));
}

/// A testing machine that holds the load keeps the probe still: the force is constant for long without clipping.
#[test]
fn a_hold_under_a_constant_load_is_not_clipped() {
    let time: Vec<f64> = (0..1000).map(|row| f64::from(row) * 0.01).collect();
    let depth = |t: f64| match t {
        t if t < 1.0 => 0.0,
        t if t < 4.0 => 0.005 * (std::f64::consts::FRAC_PI_2 * (t - 1.0) / 3.0).sin(),
        t if t < 7.0 => 0.005,
        t => 0.005 * (std::f64::consts::FRAC_PI_2 * (t - 7.0) / 3.0).cos(),
    };
    let indentation: Vec<f64> = time.iter().map(|t| depth(*t)).collect();
    // Noise that stays below the load; zero while the machine holds it.
    let noise = |row: usize| 2e-3 * ((row * 7919 % 1000) as f64 / 1000.0);
    let force = indentation.iter().enumerate().map(|(row, r)| match *r {
        0.005 => 6.0,
        r => 1200.0 * r - noise(row),
    });
    let log = Log {
        force: Channel::Scalar(force.collect()),
        motion: Motion::Indentation(indentation),
        velocity: None,
        time,
        source: LogSource::default(),
        frames: LogFrames::default(),
    };
    let found = prepared(&log);
    assert!(!found.notes.iter().any(|note| note.contains("clipped")));
    assert!(
        found
            .samples
            .indentation
            .iter()
            .filter(|r| (**r - 0.005).abs() < 1e-5)
            .count()
            > 200
    );
}

#[test]
fn repeats_in_time_are_dropped_and_steps_back_refused() {
    let mut log = SyntheticLog::new(KELVIN_VOIGT, Trajectory::press(), AXIS).generate();
    log.time[200] = log.time[199];
    assert!(
        prepared(&log)
            .notes
            .iter()
            .any(|note| note.starts_with("1 samples"))
    );
    log.time[300] = 0.1;
    assert!(problem(&log).contains("sample 301"));
    for row in 0..log.time.len() {
        log.time[row] = (row / 2) as f64 * 0.004;
    }
    assert!(problem(&log).contains("have the time of the one before"));
}

#[test]
fn unusable_logs_are_refused_with_advice() {
    let log = SyntheticLog::new(KELVIN_VOIGT, Trajectory::press(), AXIS).generate();
    let n = log.len();
    let with_force = |force: Vec<f64>| Log {
        force: Channel::Scalar(force),
        ..log.clone()
    };
    assert!(problem(&with_force(vec![0.0; n])).contains("0 throughout"));
    assert!(problem(&with_force(vec![2.0; n])).contains("never changes"));
    assert!(problem(&with_force(vec![2.0; n - 1])).contains("as time has"));
    let mut holed = vec![1.0; n];
    holed[7] = f64::NAN;
    assert!(problem(&with_force(holed)).contains("sample 8 of force"));
    let still = Log {
        motion: Motion::Position(Channel::Scalar(vec![0.3; n])),
        ..log.clone()
    };
    assert!(problem(&still).contains("position never changes"));
    let air = Trajectory::new(
        -0.02,
        &[Segment::Move {
            to: -0.01,
            speed: 0.005,
            ramp: 0.1,
        }],
    );
    let air = SyntheticLog::new(KELVIN_VOIGT, air, AXIS).generate();
    assert!(problem(&air).contains("no contact found"));
    let mut short = log.clone();
    short.time.truncate(4);
    assert!(problem(&short).contains("the number of samples is 4"));
}

#[test]
fn the_overview_keeps_extremes() {
    let mut recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::rich(), AXIS);
    recipe.rate = 2000.0;
    let found = prepared(&recipe.generate());
    let most = |values: &[f64]| values.iter().fold(f64::MIN, |most, value| most.max(*value));
    assert!(found.overview.time.len() <= 4000);
    assert_eq!(most(&found.overview.force), most(&found.samples.force));
}

#[test]
fn the_surface_of_foam_is_within_the_stated_error() {
    // Force that begins as slowly as x^2.4: a law with x^1.5 puts the surface 0.3 mm too deep.
    let foam = Law::HuntCrossley {
        kappa: 1.4e6,
        lambda: 2000.0,
        n: 2.4,
        m: 1.0,
    };
    let ramp = |to, speed| Segment::Move {
        to,
        speed,
        ramp: 0.05,
    };
    let motion = [Segment::Hold(0.5), ramp(0.008, 0.005), Segment::Hold(0.5)];
    for seed in 0..6 {
        let mut recipe = SyntheticLog::new(foam, Trajectory::new(-0.01, &motion), AXIS);
        recipe.seed = seed;
        recipe.rate = 500.0 + 3.0 * seed as f64;
        let log = recipe.generate();
        let found = prepared(&log);
        let error = onset_error(&log, &found).abs();
        let stated = found.samples.contact.standard_error;
        assert!(
            error < 3.5 * stated && stated < 1e-4,
            "{error} for {stated}"
        );
    }
}

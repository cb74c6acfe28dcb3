//! Logs whose channels were recorded at different moments: a channel held longer than the log's interval, and a late
//! force. The truth is a synthetic law; intervals must cover it for any rate, phase and delay.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, ForceLatency, Log, ModelChoice, Motion,
    PrepareOptions, calibrate, prepare,
};

const LAW: Law = Law::KelvinVoigt {
    stiffness: 1200.0,
    damping: 18.0,
};
const AXIS: MotionFrame = MotionFrame::Axis {
    surface: 0.12,
    outward: true,
};
const SPACE: MotionFrame = MotionFrame::Space {
    surface: [0.4, 0.1, 0.2],
    normal: [0.3, 0.0, 1.0],
};

fn options() -> CalibrationOptions {
    CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    }
}

/// A log without velocity, so that only the clocks of position and force matter.
fn recipe(frame: MotionFrame, rate: f64, seed: u64) -> SyntheticLog {
    let mut recipe = SyntheticLog::new(LAW, Trajectory::rich(), frame);
    recipe.rate = rate;
    recipe.seed = seed;
    recipe.sensor.velocity_logged = false;
    recipe.sensor.force_noise = 0.03;
    recipe
}

/// Row shown in each row by a channel that is updated at a rate [Hz], with a phase (0 to 1) of its period.
fn held_rows(time: &[f64], rate: f64, phase: f64) -> Vec<usize> {
    let mut shown = 0;
    let mut last = f64::MIN;
    let update = |time: f64| (time * rate - phase + 1e-9).floor();
    (0..time.len())
        .map(|row| {
            if update(time[row]) > last {
                (shown, last) = (row, update(time[row]));
            }
            shown
        })
        .collect()
}

/// Holds a channel.
fn hold(channel: &Channel, rows: &[usize]) -> Channel {
    match channel {
        Channel::Scalar(values) => Channel::Scalar(rows.iter().map(|&row| values[row]).collect()),
        Channel::Vector(values) => Channel::Vector(rows.iter().map(|&row| values[row]).collect()),
    }
}

/// Holds the position (`true`) or the force of a log at a rate [Hz].
fn held(log: &mut Log, position: bool, rate: f64, phase: f64) {
    let rows = held_rows(&log.time, rate, phase);
    if position {
        let Motion::Position(channel) = &log.motion else {
            panic!("positions")
        };
        log.motion = Motion::Position(hold(channel, &rows));
    } else {
        log.force = hold(&log.force, &rows);
    }
}

fn holds_truth(found: &Calibration, name: &str) -> bool {
    let truth = match name {
        "stiffness" => 1200.0,
        _ => 18.0,
    };
    let [low, high] = found.fit.parameter(name).unwrap().ci95;
    (low..=high).contains(&truth)
}

/// Relative half width of the stiffness' interval.
fn stiffness_half(found: &Calibration) -> f64 {
    let [low, high] = found.fit.parameter("stiffness").unwrap().ci95;
    0.5 * (high - low) / 1200.0
}

#[test]
fn intervals_cover_the_truth_with_held_channels() {
    // Position and force at these rates [Hz]; 0: not held.
    let cases = [
        (250.0, 30.0, 0.0),
        (250.0, 62.5, 0.0),
        (250.0, 0.0, 30.0),
        (250.0, 0.0, 62.5),
        (250.0, 30.0, 62.5),
        (250.0, 62.5, 30.0),
        (250.0, 50.0, 50.0),
        (500.0, 30.0, 0.0),
        (500.0, 0.0, 100.0),
    ];
    let (mut covered, mut n) = (0, 0);
    for (rate, position, force) in cases {
        for seed in 0..4_u64 {
            let frame = if seed % 2 == 0 { AXIS } else { SPACE };
            let mut log = recipe(frame, rate, seed).generate();
            let phase = seed as f64 / 4.0;
            if position > 0.0 {
                held(&mut log, true, position, phase);
            }
            if force > 0.0 {
                held(&mut log, false, force, 0.7 * phase);
            }
            let found = calibrate(&log, &options()).unwrap();
            let said = found.prepared.notes.iter();
            assert!(
                said.clone().any(|note| note.contains("held in between")),
                "{rate} {position} {force}: {:?}",
                found.prepared.notes
            );
            assert!(stiffness_half(&found) < 0.08, "{rate} {position} {force}");
            // The latency cannot be known better than the longest hold.
            let slowest = [position, force].into_iter().filter(|rate| *rate > 0.0);
            let period = 1.0 / slowest.fold(f64::MAX, f64::min);
            let error = found.prepared.samples.latency_standard_error;
            assert!(error > 0.97 * period / 12.0_f64.sqrt(), "{error} s");
            for name in ["stiffness", "damping"] {
                covered += usize::from(holds_truth(&found, name));
                n += 1;
            }
        }
    }
    // Of 72 intervals of 95 %, fewer than 63 cover with probability 0.6 %.
    assert!(covered >= 63, "{covered} of {n}");
}

#[test]
fn a_known_latency_has_its_stated_error() {
    let mut log = recipe(AXIS, 250.0, 0).generate();
    held(&mut log, true, 62.5, 0.0);
    let known = PrepareOptions {
        force_latency_error: Some(0.001),
        ..PrepareOptions::default()
    };
    let samples = prepare(&log, &known).unwrap().samples;
    assert_eq!(samples.latency_standard_error, 0.001);
    assert!((samples.sampling_interval - 0.016).abs() < 1e-9);
}

#[test]
fn coarse_steps_of_a_slow_movement_are_not_a_hold() {
    let slow = Segment::Move {
        to: 0.006,
        speed: 0.005,
        ramp: 0.05,
    };
    let away = Segment::Move {
        to: -0.004,
        speed: 0.004,
        ramp: 0.05,
    };
    for step in [2e-5, 5e-5, 1e-4] {
        let segments = [Segment::Hold(0.5), slow, Segment::Hold(0.5), away];
        let mut recipe = recipe(AXIS, 500.0, 3);
        recipe.motion = Trajectory::new(-0.004, &segments);
        recipe.sensor.position_noise = 0.0;
        let mut log = recipe.generate();
        let n = log.len();
        let Motion::Position(Channel::Scalar(position)) = &mut log.motion else {
            panic!("positions along an axis")
        };
        for z in position {
            *z = (*z / step).round() * step;
        }
        let found = prepare(&log, &PrepareOptions::default()).unwrap();
        assert!(
            (found.samples.sampling_interval - 0.002).abs() < 1e-9,
            "{step}"
        );
        assert!(found.samples.len() > n / 4);
        assert!(
            !found
                .notes
                .iter()
                .any(|note| note.contains("held in between"))
        );
    }
}

/// Logs with a late force: the interval covers the truth, or the parameter is not identifiable, with a reason.
fn check_late(rate: f64, delays: &[f64], seeds: u64) {
    let (mut covered, mut n) = (0, 0);
    for &delay in delays {
        for seed in 0..seeds {
            let mut recipe = recipe(AXIS, rate, seed);
            recipe.sensor.force_latency = delay;
            let found = calibrate(&recipe.generate(), &options()).unwrap();
            for name in ["stiffness", "damping"] {
                covered += usize::from(holds_truth(&found, name));
                if !holds_truth(&found, name) {
                    eprintln!(
                        "{rate} {delay} {seed} {name} {:?} {:?}",
                        found.fit.parameter(name).map(|p| (p.value, p.ci95)),
                        found.warnings
                    );
                }
                n += 1;
            }
            let told = found
                .warnings
                .iter()
                .find(|warning| warning.contains("the force seems"));
            // A shorter delay is within the assumed uncertainty, and a small mass may explain it as well.
            let beyond = delay.abs() > (2.5 / rate).max(0.011);
            if beyond {
                let told =
                    told.unwrap_or_else(|| panic!("{rate} Hz, {delay} s: {:?}", found.warnings));
                assert!(told.contains("--force-latency fit"), "{told}");
                assert_eq!(told.contains("early"), delay < 0.0);
            } else if delay == 0.0 {
                assert_eq!(told, None, "{rate} Hz, seed {seed}");
            }
        }
    }
    assert!(covered * 10 >= n * 9, "{rate} Hz: {covered} of {n}");
}

#[test]
fn intervals_cover_a_late_force_at_100_hz() {
    check_late(100.0, &[0.0, 0.005, 0.012, 0.03, 0.06], 4);
}

#[test]
fn intervals_cover_a_late_force_at_250_hz() {
    check_late(250.0, &[-0.01, 0.0, 0.005, 0.008, 0.02, 0.032, 0.06], 3);
}

#[test]
fn intervals_cover_a_late_force_at_1000_hz() {
    check_late(1000.0, &[0.0, 0.005, 0.02, 0.045], 8);
}

#[test]
fn the_advice_for_a_late_force_works() {
    for (rate, delay) in [(250.0, 0.008), (500.0, 0.02), (500.0, 0.03)] {
        let mut recipe = recipe(AXIS, rate, 1);
        recipe.sensor.force_latency = delay;
        let mut options = options();
        options.prepare.force_latency = Some(ForceLatency::Fitted);
        let found = calibrate(&recipe.generate(), &options).unwrap();
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
        assert!(holds_truth(&found, "stiffness") && holds_truth(&found, "damping"));
        assert!(found.fit.parameter("damping").unwrap().identifiable);
    }
}

#[test]
fn one_frequency_does_not_determine_the_latency() {
    for (delay, seed) in [(0.0, 0), (0.004, 1), (0.008, 2), (-0.006, 3)] {
        let mut recipe = recipe(AXIS, 500.0, seed);
        recipe.motion = Trajectory::palpation(12.0);
        recipe.sensor.force_latency = delay;
        let found = calibrate(&recipe.generate(), &options()).unwrap();
        assert!(holds_truth(&found, "stiffness"), "{delay} s");
        assert!(holds_truth(&found, "damping"), "{delay} s");
        let error = found.prepared.samples.latency_standard_error;
        assert!(error > 0.004, "{error} s: {:?}", found.prepared.choices);
    }
    // A known latency gives the narrow interval.
    let mut recipe = recipe(AXIS, 500.0, 0);
    recipe.motion = Trajectory::palpation(12.0);
    let mut known = options();
    known.prepare.force_latency_error = Some(0.0);
    let found = calibrate(&recipe.generate(), &known).unwrap();
    assert!(found.fit.parameter("damping").unwrap().standard_error < 0.5);
}

#[test]
fn other_laws_are_not_reported_as_late() {
    let laws = [
        Law::HuntCrossley {
            kappa: 25e3,
            lambda: 300.0,
            n: 1.5,
            m: 0.5,
        },
        Law::StandardLinearSolid {
            stiffness: 900.0,
            branch_stiffness: 600.0,
            relaxation_time: 0.15,
        },
    ];
    for law in laws {
        for rate in [250.0, 500.0] {
            let mut recipe = recipe(AXIS, rate, 5);
            recipe.law = law;
            let found = calibrate(&recipe.generate(), &options()).unwrap();
            let warnings = &found.warnings;
            assert!(
                !warnings
                    .iter()
                    .any(|warning| warning.contains("the force seems")),
                "{warnings:?}"
            );
        }
    }
    // A mass that moves with the probe acts like a delay to second order, and is not reported as one.
    let mut recipe = recipe(AXIS, 500.0, 6);
    recipe.mass = 0.3;
    let found = calibrate(&recipe.generate(), &options()).unwrap();
    assert!(
        !found
            .warnings
            .iter()
            .any(|warning| warning.contains("the force seems"))
    );
}

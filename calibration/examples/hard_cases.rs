//! Coverage of the 95 % intervals on logs with a defect: drift, latency, gaps, contact from the start, ramps, two
//! presses, sliding over a slope with drifting height, a noisy position that must be differentiated, a held channel,
//! and an unknown latency of 5 to 60 ms.
//!
//! `cargo run --release -p insonate-calibration --example hard_cases -- 1000`, optionally followed by a part of a
//! case's name.
//!
//! An interval counts if the parameter is identified; the last column counts logs without it, including refused logs.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example prints its table and ends on an error"
)]

use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, ForceLatency, Log, ModelChoice, Motion, calibrate,
    synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory},
};

/// A case with a defect: it sets up the log of each seed, and modifies the generated log.
struct Case {
    name: &'static str,
    motion: fn() -> Trajectory,
    defect: fn(&mut SyntheticLog, f64),
    after: fn(Log, f64) -> Log,
}

const LAW: Law = Law::KelvinVoigt {
    stiffness: 1324.17,
    damping: 17.59,
};

fn step(to: f64, speed: f64) -> Segment {
    Segment::Move {
        to,
        speed,
        ramp: 0.05,
    }
}

/// A ramp to a depth at one speed, where the log ends.
fn ramp() -> Trajectory {
    Trajectory::new(
        -0.01,
        &[Segment::Hold(0.5), step(0.008, 0.005), Segment::Hold(0.5)],
    )
}

fn two_presses() -> Trajectory {
    let press = [step(0.007, 0.01), Segment::Hold(0.5), step(-0.01, 0.02)];
    let mut segments = vec![Segment::Hold(1.0)];
    segments.extend(press);
    segments.push(Segment::Hold(1.0));
    segments.extend(press);
    segments.push(Segment::Hold(1.0));
    Trajectory::new(-0.01, &segments)
}

/// Removes 60 ms around the moment of contact.
fn without_contact(log: Log, _: f64) -> Log {
    let Motion::Position(Channel::Scalar(position)) = &log.motion else {
        return log;
    };
    let touched = position.iter().position(|z| *z < 0.12).unwrap();
    let keep = |row: &usize| !(touched.saturating_sub(15)..touched + 15).contains(row);
    let rows: Vec<usize> = (0..log.len()).filter(keep).collect();
    log.rows(&rows)
}

/// Outward normal of a slope, tilted by 5° to 40° in any direction.
fn slope(share: f64) -> [f64; 3] {
    let (tilt, turn) = ((5.0 + 35.0 * share).to_radians(), 40.0 * share);
    [tilt.sin() * turn.cos(), tilt.sin() * turn.sin(), tilt.cos()]
}

/// Slides over that slope at 8 mm/s, with a height that drifts by ±2 mm over 9 s; the velocity is removed.
fn slide(mut log: Log, share: f64) -> Log {
    let normal = slope(share);
    let level = (normal[0].powi(2) + normal[2].powi(2)).sqrt();
    let tangent = [normal[2] / level, 0.0, -normal[0] / level];
    if let Motion::Position(Channel::Vector(positions)) = &mut log.motion {
        for (position, time) in positions.iter_mut().zip(&log.time) {
            let height = 0.002 * (std::f64::consts::TAU * (time / 9.0 + share)).sin();
            for axis in 0..3 {
                position[axis] += 0.008 * time * tangent[axis] + height * normal[axis];
            }
        }
    }
    log.velocity = None;
    log
}

/// A preload with sinusoidal presses for 15 s, with air before and after, or in contact throughout.
fn palpation(share: f64) -> Trajectory {
    let sine = Segment::Sine {
        amplitude: 0.0015,
        frequency: 2.0,
        cycles: 30.0,
        fade: 0.5,
    };
    if share < 0.5 {
        Trajectory::new(0.004, &[sine])
    } else {
        let (down, up) = (step(0.004, 0.01), step(-0.005, 0.01));
        Trajectory::new(
            -0.005,
            &[Segment::Hold(0.5), down, sine, up, Segment::Hold(0.5)],
        )
    }
}

/// Row shown in each row by a channel that is updated at this rate [Hz], with updates offset by this share of the
/// period.
fn held(time: &[f64], rate: f64, phase: f64) -> Vec<usize> {
    let update = |row: usize| (time[row] * rate - phase).floor();
    let mut shown = 0;
    let rows = 0..time.len();
    rows.map(|row| {
        if row > 0 && update(row) > update(row - 1) {
            shown = row;
        }
        shown
    })
    .collect()
}

fn shown(channel: &Channel, rows: &[usize]) -> Channel {
    match channel {
        Channel::Scalar(values) => Channel::Scalar(rows.iter().map(|&row| values[row]).collect()),
        Channel::Vector(values) => Channel::Vector(rows.iter().map(|&row| values[row]).collect()),
    }
}

/// Holds a position that is updated at 30 Hz.
fn position_held(mut log: Log, share: f64) -> Log {
    let rows = held(&log.time, 30.0, share);
    if let Motion::Position(positions) = &log.motion {
        log.motion = Motion::Position(shown(positions, &rows));
    }
    log
}

/// Holds a force that is updated at 62.5 Hz.
fn force_held(mut log: Log, share: f64) -> Log {
    log.force = shown(&log.force, &held(&log.time, 62.5, share));
    log
}

/// Sets a latency of 5 to 60 ms in a log without velocity.
fn late(recipe: &mut SyntheticLog, share: f64) {
    recipe.sensor.velocity_logged = false;
    recipe.sensor.force_latency = 0.005 + 0.055 * share;
}

/// Evenly distributed shares of a range by seed: the golden section.
fn share(seed: u64) -> f64 {
    (seed as f64 * 0.618_033_988_749_895).fract()
}

const CASES: &[Case] = &[
    Case {
        name: "drift 0 to 0.1 N/s",
        motion: Trajectory::rich,
        defect: |recipe, share| recipe.sensor.bias_drift = 0.1 * share * recipe.motion.duration(),
        after: |log, _| log,
    },
    Case {
        name: "latency 20 ms, known to 3",
        motion: Trajectory::rich,
        defect: |recipe, share| {
            // Uniform within ±3√3 ms: a standard deviation of 3 ms.
            recipe.sensor.force_latency = 0.02 + 0.003 * 3.0_f64.sqrt() * (2.0 * share - 1.0);
        },
        after: |log, _| log,
    },
    Case {
        name: "latency 0 to 50 ms, fitted",
        motion: Trajectory::rich,
        defect: |recipe, share| recipe.sensor.force_latency = 0.05 * share,
        after: |log, _| log,
    },
    Case {
        name: "gap over contact",
        motion: Trajectory::rich,
        defect: |_, _| {},
        after: without_contact,
    },
    Case {
        name: "starts in contact",
        motion: || Trajectory::palpation(20.0),
        defect: |_, _| {},
        after: |log, _| log,
    },
    Case {
        name: "ramp at one speed",
        motion: ramp,
        defect: |_, _| {},
        after: |log, _| log,
    },
    Case {
        name: "two presses, drift",
        motion: two_presses,
        defect: |recipe, share| recipe.sensor.bias_drift = 0.1 * share * recipe.motion.duration(),
        after: |log, _| log,
    },
    Case {
        name: "slides on a slope",
        motion: Trajectory::press,
        defect: |recipe, share| {
            recipe.motion = palpation(share);
            recipe.frame = MotionFrame::Space {
                surface: [0.4, 0.1, 0.2],
                normal: slope(share),
            };
            recipe.sensor.bias = [0.0; 3];
            recipe.sensor.bias_drift = 0.05 * share * recipe.motion.duration();
        },
        after: slide,
    },
    Case {
        name: "position noise 5 um",
        motion: Trajectory::rich,
        defect: |recipe, _| recipe.sensor.velocity_logged = false,
        after: |log, _| log,
    },
    Case {
        name: "position noise 50 um",
        motion: Trajectory::rich,
        defect: |recipe, _| {
            recipe.sensor.velocity_logged = false;
            recipe.sensor.position_noise = 50e-6;
        },
        after: |log, _| log,
    },
    Case {
        name: "late 5 to 60 ms, 100 Hz",
        motion: Trajectory::rich,
        defect: |recipe, share| {
            recipe.rate = 100.0;
            late(recipe, share);
        },
        after: |log, _| log,
    },
    Case {
        name: "late 5 to 60 ms, 250 Hz",
        motion: Trajectory::rich,
        defect: |recipe, share| {
            recipe.rate = 250.0;
            late(recipe, share);
        },
        after: |log, _| log,
    },
    Case {
        name: "late 5 to 60 ms, 500 Hz",
        motion: Trajectory::rich,
        defect: |recipe, share| {
            recipe.rate = 500.0;
            late(recipe, share);
        },
        after: |log, _| log,
    },
    Case {
        name: "late 5 to 60 ms, 1000 Hz",
        motion: Trajectory::rich,
        defect: |recipe, share| {
            recipe.rate = 1000.0;
            late(recipe, share);
        },
        after: |log, _| log,
    },
    Case {
        name: "one sine, late 0 to 8 ms",
        motion: || Trajectory::palpation(12.0),
        defect: |recipe, share| recipe.sensor.force_latency = 0.008 * share,
        after: |log, _| log,
    },
    Case {
        name: "position held, 30 Hz",
        motion: Trajectory::rich,
        defect: |recipe, _| {
            recipe.rate = 250.0;
            recipe.sensor.velocity_logged = false;
        },
        after: position_held,
    },
    Case {
        name: "force held, 62.5 Hz",
        motion: Trajectory::rich,
        defect: |recipe, _| {
            recipe.rate = 250.0;
            recipe.sensor.velocity_logged = false;
        },
        after: force_held,
    },
    Case {
        name: "both held, 30 and 62.5 Hz",
        motion: Trajectory::rich,
        defect: |recipe, _| {
            recipe.rate = 250.0;
            recipe.sensor.velocity_logged = false;
        },
        after: |log, share| force_held(position_held(log, share), 0.7 * share),
    },
];

fn main() {
    let argument = std::env::args().nth(1);
    let n: u64 = argument.map_or(1000, |text| text.parse().unwrap());
    let only = std::env::args().nth(2).unwrap_or_default();
    println!(
        "Kelvin–Voigt, {n} logs each; relative errors of the logs that identify the parameter"
    );
    println!(
        "case                        parameter      mean %   rms %   covered %   not identified %"
    );
    for case in CASES.iter().filter(|case| case.name.contains(&only)) {
        print_case(case, n);
    }
}

fn print_case(case: &Case, n: u64) {
    let frame = MotionFrame::Axis {
        surface: 0.12,
        outward: true,
    };
    let mut options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    };
    (
        options.prepare.force_latency,
        options.prepare.force_latency_error,
    ) = match case.name {
        "latency 20 ms, known to 3" => (Some(ForceLatency::Known(0.02)), Some(0.003)),
        "latency 0 to 50 ms, fitted" => (Some(ForceLatency::Fitted), None),
        name if name.contains("late ") || name.contains("held") => (None, None),
        // These sensors are read at the same instant.
        _ => (None, Some(0.0)),
    };
    let truth = LAW.parameters();
    let mut rows = vec![(0.0, 0.0, 0_u64, 0_u64); truth.len()];
    let (mut refused, mut angle) = (None, 0.0_f64);
    for seed in 0..n {
        let mut recipe = SyntheticLog::new(LAW, (case.motion)(), frame);
        recipe.seed = seed;
        // Contact then falls anywhere between two samples.
        recipe.rate += 20.0 * share(seed);
        (case.defect)(&mut recipe, share(seed));
        let fit = match calibrate(&(case.after)(recipe.generate(), share(seed)), &options) {
            Ok(found) => {
                if let MotionFrame::Space { normal, .. } = recipe.frame {
                    angle = angle.max(angle_to(normal, &found));
                }
                found.fit
            }
            Err(error) => {
                refused = Some(error.to_string());
                continue;
            }
        };
        for ((name, truth), row) in truth.iter().zip(&mut rows) {
            let parameter = fit.parameter(name).unwrap();
            if !parameter.identifiable {
                continue;
            }
            let error = parameter.value / truth - 1.0;
            row.0 += error;
            row.1 += error * error;
            row.2 += u64::from(parameter.ci95[0] <= *truth && *truth <= parameter.ci95[1]);
            row.3 += 1;
        }
    }
    for ((name, _), (sum, squares, covered, counted)) in truth.iter().zip(rows) {
        let of = counted.max(1) as f64;
        println!(
            "{:<27} {name:<12} {:>8.3} {:>7.3} {:>11.1} {:>18.1}",
            case.name,
            100.0 * sum / of,
            100.0 * (squares / of).sqrt(),
            100.0 * covered as f64 / of,
            100.0 * (n - counted) as f64 / n as f64,
        );
    }
    if angle > 0.0 {
        println!("  normal at most {angle:.2}° off");
    }
    if let Some(problem) = refused {
        println!("  refused, such as: {problem}");
    }
}

/// Angle between an outward normal and the normal reported by the preparation [°].
fn angle_to(normal: [f64; 3], found: &Calibration) -> f64 {
    let choices = &found.prepared.choices;
    let stated = choices
        .iter()
        .find(|choice| choice.what == "surface normal")
        .unwrap();
    let axes = stated.value.trim_matches(['(', ')']).split(", ");
    let axes: Vec<f64> = axes.map(|axis| axis.parse().unwrap()).collect();
    let cosine: f64 = axes.iter().zip(normal).map(|(a, b)| a * b).sum();
    cosine.min(1.0).acos().to_degrees()
}

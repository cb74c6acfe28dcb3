//! A synthetic log follows its settings: laws exact, motions smooth, errors of the stated size, equal bits for equal
//! seeds.

use insonate_calibration::synthetic::{
    Law, MotionFrame, Segment, Sensor, SyntheticLog, Trajectory, to_csv,
};
use insonate_calibration::{Channel, Motion};

const KELVIN_VOIGT: Law = Law::KelvinVoigt {
    stiffness: 1324.17,
    damping: 17.59,
};
const SOLID: Law = Law::StandardLinearSolid {
    stiffness: 1000.0,
    branch_stiffness: 600.0,
    relaxation_time: 0.1,
};

fn scalar(channel: &Channel) -> &[f64] {
    match channel {
        Channel::Scalar(values) => values,
        Channel::Vector(_) => panic!("a scalar channel"),
    }
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}

/// Central differences of 1 µs: rounding of 1e-2 m and 1e-4 m/s² of curvature leave errors of 1e-9 of position and
/// 1e-6 of velocity.
#[test]
fn velocity_and_acceleration_are_derivatives() {
    for motion in [
        Trajectory::press(),
        Trajectory::rich(),
        Trajectory::palpation(5.0),
    ] {
        let step = 1e-6;
        for index in 1..2000 {
            let time = motion.duration() * f64::from(index) / 2000.3;
            let (before, here, after) = (
                motion.at(time - step),
                motion.at(time),
                motion.at(time + step),
            );
            let velocity = (after.indentation - before.indentation) / (2.0 * step);
            let acceleration = (after.velocity - before.velocity) / (2.0 * step);
            assert!((velocity - here.velocity).abs() < 1e-6, "{time}");
            assert!((acceleration - here.acceleration).abs() < 1e-3, "{time}");
        }
    }
}

#[test]
fn crossings_are_at_the_surface() {
    let motion = Trajectory::press();
    let crossings = motion.crossings();
    assert_eq!(crossings.len(), 2);
    for time in crossings {
        assert!(motion.at(time).indentation.abs() < 1e-12);
    }
}

/// On a ramp at constant speed v from contact at t = 0: f₁ = k₁ v τ (1 − e^{−t/τ}); in a hold it decays by e^{−t/τ}.
#[test]
fn the_standard_linear_solid_is_exact() {
    let (ramp, speed) = (1e-9, 0.02);
    let motion = Trajectory::new(
        0.0,
        &[
            Segment::Move {
                to: 0.006,
                speed,
                ramp,
            },
            Segment::Hold(0.5),
        ],
    );
    let mut recipe = SyntheticLog::new(SOLID, motion, MotionFrame::Indentation);
    recipe.sensor = Sensor::perfect();
    recipe.rate = 37.0;
    let truth = recipe.truth();
    for index in 1..truth.time.len() {
        let (time, r) = (truth.time[index], truth.indentation[index]);
        let loading = time.min(0.3);
        let loaded = 600.0 * speed * 0.1 * (1.0 - (-loading / 0.1_f64).exp());
        let expected = 1000.0 * r + loaded * (-(time - loading) / 0.1).exp();
        // The ramp of a nanosecond shifts the truth by v · 1 ns · k = 3e-8 N.
        assert!((truth.force[index] - expected).abs() < 1e-7, "{time}");
    }
}

/// ḟ₁ = k₁ ṙ − f₁/τ has the particular solution k₁ A ωτ (ωτ sin ωt + cos ωt)/(1 + ω²τ²) for r = A sin ωt.
#[test]
fn the_standard_linear_solid_follows_its_transfer_function() {
    let recipe = SyntheticLog {
        sensor: Sensor::perfect(),
        ..SyntheticLog::new(SOLID, Trajectory::palpation(10.0), MotionFrame::Indentation)
    };
    let truth = recipe.truth();
    let x = std::f64::consts::TAU * 2.0 * 0.1;
    for index in truth.time.len() / 2..truth.time.len() {
        let (sin, cos) = (x / 0.1 * truth.time[index]).sin_cos();
        let branch = 600.0 * 0.003 * x * (x * sin + cos) / (1.0 + x * x);
        let expected = 1000.0 * truth.indentation[index] + branch;
        // The initial transient of 1 N has decayed by e^{−25} after 2.5 s.
        assert!((truth.force[index] - expected).abs() < 1e-10);
    }
}

/// Force of an indentation [m] and its rate [m/s].
type Force = fn(f64, f64) -> f64;

#[test]
fn laws_follow_their_equations() {
    let cases: [(Law, Force); 4] = [
        (KELVIN_VOIGT, |r, v| 1324.17 * r + 17.59 * v),
        (
            Law::HuntCrossley {
                kappa: 2e4,
                lambda: 300.0,
                n: 1.5,
                m: 0.5,
            },
            |r, v| 2e4 * r * r.sqrt() + 300.0 * r.sqrt() * v,
        ),
        (
            Law::Hertz {
                young_modulus: 2e4,
                poisson_ratio: 0.5,
                radius: 0.01,
            },
            |r, _| 16.0 / 9.0 * 2e4 * 0.1 * r * r.sqrt(),
        ),
        (
            Law::FlatPunch {
                young_modulus: 2e4,
                poisson_ratio: 0.5,
                radius: 0.01,
            },
            |r, _| 8.0 / 3.0 * 2e4 * 0.01 * r,
        ),
    ];
    for (law, force) in cases {
        let recipe = SyntheticLog {
            mass: 0.3,
            sensor: Sensor::perfect(),
            ..SyntheticLog::new(law, Trajectory::rich(), MotionFrame::Indentation)
        };
        let truth = recipe.truth();
        for index in 0..truth.time.len() {
            let r = truth.indentation[index];
            let tissue = if r > 0.0 {
                force(r, truth.velocity[index]).max(0.0)
            } else {
                0.0
            };
            let inertia = 0.3 * recipe.motion.at(truth.time[index]).acceleration;
            assert!((truth.force[index] - tissue - inertia).abs() < 1e-9);
        }
    }
}

/// 5000 samples determine a standard deviation to 1 %, and a mean to 1.4 % of it; four times this is allowed.
#[test]
fn errors_have_the_stated_size() {
    let still = Trajectory::new(-0.01, &[Segment::Hold(10.0)]);
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        still,
        MotionFrame::Axis {
            surface: 0.2,
            outward: true,
        },
    );
    recipe.sensor.force_step = 0.0;
    recipe.sensor.clock_jitter = 1e-4;
    let log = recipe.generate();
    let force = scalar(&log.force);
    assert!((deviation(force) / 0.05 - 1.0).abs() < 0.04);
    let mean = force.iter().sum::<f64>() / force.len() as f64;
    assert!((mean + 1.1).abs() < 4.0 * 0.05 / (force.len() as f64).sqrt());
    let Motion::Position(position) = &log.motion else {
        panic!("positions")
    };
    let position = scalar(position);
    assert!((deviation(position) / 5e-6 - 1.0).abs() < 0.04);
    // 10 mm above a surface at 0.2 m whose outward direction is up.
    assert!((position[0] - 0.21).abs() < 1e-4);
    let velocity = scalar(log.velocity.as_ref().unwrap());
    assert!((deviation(velocity) / 1e-4 - 1.0).abs() < 0.04);
    let late: Vec<f64> = (0..5000u32)
        .map(|index| log.time[index as usize] - f64::from(index) / 500.0)
        .collect();
    assert!((deviation(&late) / 1e-4 - 1.0).abs() < 0.04);
}

#[test]
fn latency_delays_the_force_and_the_step_rounds_it() {
    let mut recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::press(), MotionFrame::Indentation);
    recipe.sensor = Sensor::perfect();
    let prompt = recipe.truth().force;
    recipe.sensor.force_latency = 0.02;
    let late = recipe.truth().force;
    for index in 10..prompt.len() {
        assert!((late[index] - prompt[index - 10]).abs() < 1e-9);
    }
    recipe.sensor.force_step = 0.25;
    let log = recipe.generate();
    for force in scalar(&log.force) {
        assert!((force * 4.0).fract().abs() < 1e-12);
    }
}

#[test]
fn jittered_time_increases_and_matches_the_motion() {
    let mut recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::press(), MotionFrame::Indentation);
    recipe.sensor = Sensor {
        sampling_jitter: 5e-4,
        ..Sensor::perfect()
    };
    let log = recipe.generate();
    assert!(log.time.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(
        log.time
            .windows(2)
            .any(|pair| (pair[1] - pair[0] - 2e-3).abs() > 3e-4)
    );
    let Motion::Indentation(indentation) = &log.motion else {
        panic!("indentation")
    };
    for (time, r) in log.time.iter().zip(indentation) {
        assert!((recipe.motion.at(*time).indentation - r).abs() < 1e-15);
    }
}

#[test]
fn space_logs_project_back_on_the_normal() {
    let normal = [0.3, -0.4, 2.0];
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::press(),
        MotionFrame::Space {
            surface: [0.4, 0.1, 0.2],
            normal,
        },
    );
    recipe.sensor = Sensor {
        pressing_positive: false,
        ..Sensor::perfect()
    };
    let (log, truth) = (recipe.generate(), recipe.truth());
    let (Motion::Position(Channel::Vector(position)), Channel::Vector(force)) =
        (&log.motion, &log.force)
    else {
        panic!("vectors")
    };
    let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
    for index in 0..log.len() {
        let along = |vector: [f64; 3], origin: [f64; 3]| {
            (0..3)
                .map(|axis| (origin[axis] - vector[axis]) * normal[axis] / length)
                .sum::<f64>()
        };
        let r = along(position[index], [0.4, 0.1, 0.2]);
        assert!((r - truth.indentation[index]).abs() < 1e-12);
        assert!((along(force[index], [0.0; 3]) + truth.force[index]).abs() < 1e-12);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let mut recipe = SyntheticLog::new(SOLID, Trajectory::press(), MotionFrame::Indentation);
    let log = recipe.generate();
    assert_eq!(log, recipe.generate());
    recipe.seed = 1;
    assert_ne!(log.force, recipe.generate().force);
}

#[test]
fn csv_reads_back_to_the_same_numbers() {
    let recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(2.0),
        MotionFrame::Space {
            surface: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
        },
    );
    let text = recipe.to_csv();
    assert!(text.starts_with("# synthetic: law stiffness=1324.17, damping=17.59\n"));
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(
        lines.next().unwrap(),
        "time_s,position_x_m,position_y_m,position_z_m,velocity_x_m_s,velocity_y_m_s,velocity_z_m_s,force_x_n,force_y_n,force_z_n"
    );
    let log = recipe.generate();
    let Channel::Vector(force) = &log.force else {
        panic!("vectors")
    };
    for (line, force) in lines.zip(force) {
        let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(row[7..].to_vec(), force.to_vec());
    }
    let flat = SyntheticLog {
        frame: MotionFrame::Indentation,
        ..recipe
    };
    let text = to_csv(&flat.generate(), &[]);
    assert!(text.starts_with("time_s,indentation_m,velocity_m_s,force_n\n"));
}

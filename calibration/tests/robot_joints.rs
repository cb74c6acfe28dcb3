//! Contract: a log of joint positions, read with the robot's kinematics, gives the stiffness of the press. The oracle is
//! the inverse kinematics of a planar arm of two links, computed here.

use std::fmt::Write as _;

use insonate_calibration::formats::{
    Format, ReadOptions, RobotJoint, RobotKinematics, TipPose, read_bytes,
};
use insonate_calibration::synthetic::{Law, MotionFrame, Sensor, SyntheticLog, Trajectory};
use insonate_calibration::{CalibrationOptions, Channel, Log, ModelChoice, Motion, calibrate};

/// Lengths of the links [m].
const LINKS: [f64; 2] = [0.4, 0.3];
/// Stiffness of the press [N/m].
const STIFFNESS: f64 = 900.0;

/// Pose of the tip of an arm in the xz plane; both joints turn about −y.
fn pose(joints: &[f64]) -> TipPose {
    let [upper, fore] = [joints[0], joints[0] + joints[1]];
    let [l1, l2] = LINKS;
    let (sin, cos) = (-0.5 * fore).sin_cos();
    TipPose {
        position: [
            l1 * upper.cos() + l2 * fore.cos(),
            0.0,
            l1 * upper.sin() + l2 * fore.sin(),
        ],
        rotation: [cos, 0.0, sin, 0.0],
    }
}

fn robot() -> RobotKinematics {
    let joint = |name: &str| RobotJoint {
        name: name.to_owned(),
        range: [-2.5, 2.5],
        is_slide: false,
    };
    let joints = vec![joint("shoulder"), joint("elbow")];
    RobotKinematics::new("planar", joints, "base", "tip", pose)
}

/// Joint angles that bring the tip to x and z (law of cosines, elbow down).
fn joints_at(x: f64, z: f64) -> [f64; 2] {
    let [l1, l2] = LINKS;
    let cos = (x * x + z * z - l1 * l1 - l2 * l2) / (2.0 * l1 * l2);
    let elbow = -(1.0 - cos * cos).sqrt().atan2(cos);
    let shoulder = z.atan2(x) - (l2 * elbow.sin()).atan2(l1 + l2 * elbow.cos());
    [shoulder, elbow]
}

/// A press along −z with its force in the base's frame.
fn press() -> Log {
    let law = Law::KelvinVoigt {
        stiffness: STIFFNESS,
        damping: 12.0,
    };
    let frame = MotionFrame::Space {
        surface: [0.5, 0.0, 0.12],
        normal: [0.0, 0.0, 1.0],
    };
    let mut log = SyntheticLog::new(law, Trajectory::rich(), frame);
    log.sensor = Sensor {
        force_noise: 1e-3,
        ..Sensor::perfect()
    };
    log.generate()
}

/// The press as joint angles and the force in the tip's frame.
fn csv(log: &Log) -> String {
    let (Motion::Position(Channel::Vector(places)), Channel::Vector(forces)) =
        (&log.motion, &log.force)
    else {
        panic!("vectors");
    };
    let mut text = "time,q1,q2,fx,fy,fz\n".to_owned();
    for (time, (place, [x, y, z])) in log.time.iter().zip(places.iter().zip(forces)) {
        let [shoulder, elbow] = joints_at(place[0], place[2]);
        let (sin, cos) = (shoulder + elbow).sin_cos();
        let (along, across) = (x * cos + z * sin, z * cos - x * sin);
        let _ = writeln!(text, "{time},{shoulder},{elbow},{along},{y},{across}");
    }
    text
}

#[test]
fn joints_and_a_force_in_the_tips_frame_give_the_stiffness() {
    let reading = ReadOptions {
        robot: Some(robot()),
        ..ReadOptions::default()
    };
    let text = csv(&press());
    let log = read_bytes("log.csv", Format::Csv, text.as_bytes(), &reading).unwrap();
    let options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    };
    let found = calibrate(&log, &options).unwrap();
    let stiffness = found.fit.parameter("stiffness").unwrap().value;
    assert!((stiffness / STIFFNESS - 1.0).abs() < 2e-3, "{stiffness}");
}

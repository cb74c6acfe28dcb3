//! Contract: joint positions of a log give the position and orientation of the tip of a robot that the user names. The
//! oracle is the inverse kinematics of a planar arm of two links, computed here. Joints that do not fit the robot are
//! named; without a robot the log is refused.

use std::fmt::Write as _;

use insonate_tables::{
    Channel, Format, Log, LogFrames, LogSource, Motion, ReadOptions, RobotJoint, RobotKinematics,
    TipPose, read_bytes,
};

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::bags::{Message, STEP, recorded, wrench};
use super::refused;

/// Lengths of the links [m].
const LINKS: [f64; 2] = [0.4, 0.3];
/// Stiffness of the pressed spring [N/m].
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

/// Three presses along −z into a spring at a height of 0.12 m, at 100 Hz, with their force in the base's frame.
fn press() -> Log {
    let time: Vec<f64> = (0..600).map(|sample| 0.01 * f64::from(sample)).collect();
    let height = |t: &f64| 0.13 - 0.03 * (0.5 * std::f64::consts::PI * t).sin().powi(2);
    let place = |t: &f64| [0.5, 0.0, height(t)];
    let force = |t: &f64| [0.2 * t.sin(), 0.1, STIFFNESS * (0.12 - height(t)).max(0.0)];
    Log {
        source: LogSource::default(),
        motion: Motion::Position(Channel::Vector(time.iter().map(place).collect())),
        velocity: None,
        force: Channel::Vector(time.iter().map(force).collect()),
        frames: LogFrames::default(),
        time,
    }
}

fn vectors(channel: &Channel) -> &[[f64; 3]] {
    match channel {
        Channel::Vector(vectors) => vectors,
        Channel::Scalar(_) => panic!("a number"),
    }
}

fn position(log: &Log) -> &[[f64; 3]] {
    match &log.motion {
        Motion::Position(channel) => vectors(channel),
        Motion::Indentation(_) => panic!("an indentation"),
    }
}

/// The press as joint angles and the force in the tip's frame: rows of time, joints and force.
fn rows(log: &Log) -> Vec<[f64; 6]> {
    let places = position(log).iter().zip(vectors(&log.force));
    let row = |(time, (place, force)): (&f64, (&[f64; 3], &[f64; 3]))| {
        let joints = joints_at(place[0], place[2]);
        let (sin, cos) = (joints[0] + joints[1]).sin_cos();
        let [x, y, z] = *force;
        let in_tip = [x * cos + z * sin, y, z * cos - x * sin];
        [*time, joints[0], joints[1], in_tip[0], in_tip[1], in_tip[2]]
    };
    log.time.iter().zip(places).map(row).collect()
}

/// A table with these names of joints; `scale`: the joints' unit per radian.
fn csv(names: [&str; 2], rows: &[[f64; 6]], scale: f64) -> String {
    let mut text = format!("time,{},{},fx,fy,fz\n", names[0], names[1]);
    for [time, shoulder, elbow, x, y, z] in rows {
        let [shoulder, elbow] = [scale * shoulder, scale * elbow];
        let _ = writeln!(text, "{time},{shoulder},{elbow},{x},{y},{z}");
    }
    text
}

fn with_robot() -> ReadOptions {
    ReadOptions {
        robot: Some(robot()),
        ..ReadOptions::default()
    }
}

fn read(text: &str, options: &ReadOptions) -> Result<Log, String> {
    read_bytes("log.csv", Format::Csv, text.as_bytes(), options).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_positions(log: &Log, truth: &Log) {
    assert_eq!(log.time, truth.time);
    for (found, exact) in position(log).iter().zip(position(truth)) {
        let distance = (0..3).map(|axis| (found[axis] - exact[axis]).abs());
        assert!(distance.fold(0.0, f64::max) < 1e-9, "{found:?} {exact:?}");
    }
}

#[test]
fn joints_give_the_position_and_the_orientation_of_the_force() {
    let truth = press();
    let log = read(&csv(["q1", "q2"], &rows(&truth), 1.0), &with_robot()).unwrap();
    assert_positions(&log, &truth);
    let notes = log.source.notes.join("; ");
    assert!(
        notes.contains("those of tip in base, by the joints of robot planar"),
        "{notes}"
    );
    assert!(notes.contains("taken for radians"), "{notes}");
    // The orientation brings every force back into the base's frame.
    let turned = &log.frames.force_to_motion;
    assert_eq!(turned.len(), log.len());
    let forces = vectors(&log.force).iter().zip(vectors(&truth.force));
    for (&[w, x, y, z], (force, exact)) in turned.iter().zip(forces) {
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let error = turn * Vector3::from(*force) - Vector3::from(*exact);
        assert!(error.norm() < 1e-9, "{error}");
    }
}

#[test]
fn joints_are_found_by_the_names_that_robots_log() {
    let truth = press();
    let rows = rows(&truth);
    let degrees = 180.0 / std::f64::consts::PI;
    for (names, scale) in [
        (["shoulder", "elbow"], 1.0),
        (["joint_positions_0", "joint_positions_1"], 1.0),
        (["actual_q_0", "actual_q_1"], 1.0),
        (["q[0]", "q[1]"], 1.0),
        (["joint_1_rad", "joint_2_rad"], 1.0),
        (
            [
                "/joint_states/shoulder/position",
                "/joint_states/elbow/position",
            ],
            1.0,
        ),
        (["position.arm_shoulder", "position.arm_elbow"], 1.0),
        (["A1 [deg]", "A2 [deg]"], degrees),
        (["shoulder_deg", "elbow_deg"], degrees),
    ] {
        let log = read(&csv(names, &rows, scale), &with_robot());
        assert_positions(
            &log.unwrap_or_else(|error| panic!("{names:?}: {error}")),
            &truth,
        );
    }
    // Velocities and targets are not positions; the order of the columns is free.
    let mut text =
        "target_q_0,elbow.velocity,elbow.position,shoulder.position,time,fx,fy,fz\n".to_owned();
    for [time, shoulder, elbow, x, y, z] in &rows {
        let _ = writeln!(text, "9,9,{elbow},{shoulder},{time},{x},{y},{z}");
    }
    assert_positions(&read(&text, &with_robot()).unwrap(), &truth);
    // Columns without names, and degrees by option.
    let options = ReadOptions {
        columns: Some("joints=a:b,force=fx:fy:fz".parse().unwrap()),
        units: "joints=deg".parse().unwrap(),
        ..with_robot()
    };
    assert_positions(
        &read(&csv(["a", "b"], &rows, degrees), &options).unwrap(),
        &truth,
    );
}

#[test]
fn an_array_of_joints_is_read() {
    let truth = press();
    let rows = rows(&truth);
    let mut file = hdf5_pure::FileBuilder::new();
    let n = rows.len() as u64;
    let columns = |columns: std::ops::Range<usize>| -> Vec<f64> {
        rows.iter()
            .flat_map(|row| row[columns.clone()].to_vec())
            .collect()
    };
    for (name, range) in [("time", 0..1), ("robot0_joint_pos", 1..3), ("force", 3..6)] {
        let width = range.len() as u64;
        file.create_dataset(name)
            .with_f64_data(&columns(range))
            .with_shape(&[n, width]);
    }
    let bytes = file.finish().unwrap();
    let read = |options: &ReadOptions| {
        read_bytes("log.h5", Format::Hdf5, &bytes, options).map_err(|error| error.to_string())
    };
    assert_positions(&read(&with_robot()).unwrap(), &truth);
    refused(
        read(&ReadOptions::default()),
        &["joint positions", "--robot-file"],
    );
}

#[test]
fn joints_that_do_not_fit_are_named() {
    let rows = &rows(&press())[..50];
    let degrees = 180.0 / std::f64::consts::PI;
    let plain = csv(["q1", "q2"], rows, 1.0);
    refused(
        read(&plain, &ReadOptions::default()),
        &[
            "joint positions",
            "column 2 \"q1\"",
            "--robot panda",
            "--robot-file FILE --flange NAME",
        ],
    );
    refused(
        read(&csv(["shoulder", "other"], rows, 1.0), &with_robot()),
        &[
            "no column of joint elbow of robot planar",
            "--columns joints=",
        ],
    );
    let three = plain.replacen("fx", "q3", 1);
    refused(
        read(&three, &with_robot()),
        &[
            "has 3 joint positions, from column 2 \"q1\" on",
            "planar has 2 joints (shoulder, elbow)",
        ],
    );
    // The elbow is at more than 100°.
    refused(
        read(&csv(["q1", "q2"], rows, degrees), &with_robot()),
        &[
            "row 1",
            "\"q1\"",
            "joint \"shoulder\"",
            "-2.5000 to 2.5000 rad",
            "--units joints=deg",
        ],
    );
    let mut beyond = rows.to_vec();
    beyond[20][2] = -2.6;
    refused(
        read(&csv(["q1", "q2"], &beyond, 1.0), &with_robot()),
        &[
            "row 21",
            "joint \"elbow\" is at -2.6000 rad",
            "is it robot planar?",
        ],
    );
    let contrary = ReadOptions {
        units: "joints=rad".parse().unwrap(),
        ..with_robot()
    };
    refused(
        read(&csv(["q1_deg", "q2_deg"], rows, degrees), &contrary),
        &["--units", "joints=rad", "says deg"],
    );
    refused(
        read(&csv(["a.shoulder", "b.shoulder"], rows, 1.0), &with_robot()),
        &[
            "\"a.shoulder\"",
            "\"b.shoulder\"",
            "both seem to be joint \"shoulder\"",
        ],
    );
    let named = |columns: &str, robot: Option<RobotKinematics>| ReadOptions {
        columns: Some(columns.parse().unwrap()),
        robot,
        ..ReadOptions::default()
    };
    refused(
        read(&plain, &named("joints=q1:q2", None)),
        &["--columns", "need a robot"],
    );
    refused(
        read(&plain, &named("joints=q1", Some(robot()))),
        &["1 columns", "2 joints: shoulder, elbow"],
    );
}

#[test]
fn a_missing_joint_leaves_its_row_out_and_a_position_has_precedence() {
    let truth = press();
    let mut rows = rows(&truth);
    rows[7][1] = f64::NAN;
    let log = read(&csv(["q1", "q2"], &rows, 1.0), &with_robot()).unwrap();
    assert_eq!(log.len(), rows.len() - 1);
    assert!(!log.time.contains(&rows[7][0]));
    let notes = log.source.notes.join("; ");
    assert!(
        notes.contains("no position in 1, no orientation in 1"),
        "{notes}"
    );

    let text = "time,z,force,q1,q2\n0,0.1,0,0,0\n0.1,0.2,1,0,0\n0.2,0.3,2,0,0\n";
    let log = read(text, &with_robot()).unwrap();
    assert_eq!(
        log.motion,
        Motion::Position(Channel::Scalar(vec![0.1, 0.2, 0.3]))
    );
    let notes = log.source.notes.join("; ");
    assert!(
        notes.contains("the joint positions are not read"),
        "{notes}"
    );
}

/// Type of joint states.
const STATES: &str = "sensor_msgs/msg/JointState";

/// Joint states with these names, whose positions are computed for a height.
fn state(t: f64, names: &[&str], positions: &[f64]) -> Vec<u8> {
    let count = |n: usize| (n as u32).to_le_bytes();
    let start = Message::new().header(t, "").put(count(names.len()));
    let named = names.iter().fold(start, |message, name| message.text(name));
    let full = named.put(count(positions.len())).numbers(positions);
    full.put(count(0)).put(count(0)).0
}

#[test]
fn joint_states_of_a_bag_are_found_by_name() {
    let height = |t: f64| 0.12 - 0.004 * (std::f64::consts::PI * t).sin().powi(2);
    let joints = |t: f64| {
        let [shoulder, elbow] = joints_at(0.5, height(t));
        state(
            t,
            &["gripper", "arm_elbow", "arm_shoulder"],
            &[0.01, elbow, shoulder],
        )
    };
    let force = |t: f64| {
        let [shoulder, elbow] = joints_at(0.5, height(t));
        let (sin, cos) = (shoulder + elbow).sin_cos();
        wrench(t, "sensor", [5.0 * sin, 0.0, 5.0 * cos])
    };
    let ft = (
        "/ft",
        "geometry_msgs/msg/WrenchStamped",
        &force as &dyn Fn(f64) -> Vec<u8>,
    );
    let log = recorded(&[("/joint_states", STATES, &joints), ft], &with_robot()).unwrap();
    for (time, place) in log.time.iter().zip(position(&log)) {
        let first = log.time[0];
        assert!(first < 2.0 * STEP);
        assert!((place[0] - 0.5).abs() < 1e-6 && (place[2] - height(*time)).abs() < 1e-6);
    }
    // The rotation turns the force into the base's frame, where it points along z.
    for (force, [w, _, y, _]) in vectors(&log.force).iter().zip(&log.frames.force_to_motion) {
        let angle = 2.0 * y.atan2(*w);
        let [x, z] = [
            force[0] * angle.cos() + force[2] * angle.sin(),
            force[2] * angle.cos() - force[0] * angle.sin(),
        ];
        assert!(x.abs() < 1e-6 && (z - 5.0).abs() < 1e-6, "{x} {z}");
    }
    assert_eq!(log.frames.force_to_motion.len(), log.len());
    // Without a robot, without a joint, and with two arms.
    refused(
        recorded(
            &[("/joint_states", STATES, &joints), ft],
            &ReadOptions::default(),
        ),
        &[
            "joint positions",
            "/joint_states.joint_position",
            "--robot-file",
        ],
    );
    let lacking = |t: f64| state(t, &["gripper", "arm_elbow"], &[0.01, 0.1]);
    refused(
        recorded(&[("/joint_states", STATES, &lacking), ft], &with_robot()),
        &["/joint_states has no joint shoulder of robot planar, only gripper, arm_elbow"],
    );
    let both = [
        ("/left", STATES, &joints as &dyn Fn(f64) -> Vec<u8>),
        ("/right", STATES, &joints),
        ft,
    ];
    refused(
        recorded(&both, &with_robot()),
        &["--columns joints=/left or --columns joints=/right"],
    );
    let one = ReadOptions {
        columns: Some("joints=/right".parse().unwrap()),
        ..with_robot()
    };
    assert_eq!(recorded(&both, &one).unwrap().len(), log.len());
    let changing = |t: f64| {
        let names = if t < 1.0 {
            ["shoulder", "elbow"]
        } else {
            ["elbow", "shoulder"]
        };
        state(t, &names, &[0.1, 0.1])
    };
    refused(
        recorded(&[("/joint_states", STATES, &changing), ft], &with_robot()),
        &["message 101", "other joints than the first"],
    );
}

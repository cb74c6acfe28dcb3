//! CRTK's messages as JSON, of ROS 2's types.

use nalgebra::{IsometryMatrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

use crate::experiments::psm::PsmReading;

/// Names of the joints, as the dVRK publishes them.
pub(super) const JOINTS: [&str; 6] = [
    "outer_yaw",
    "outer_pitch",
    "outer_insertion",
    "outer_roll",
    "outer_wrist_pitch",
    "outer_wrist_yaw",
];

/// Index of the jaw in the numbers of a reading.
const JAW: usize = 6;

/// Largest deviation of a quaternion's norm from 1.
const NORM_TOLERANCE: f64 = 0.01;

/// A header with the simulated time.
pub(super) fn header(time: f64, frame: &str) -> Value {
    let seconds = time.floor();
    let nanoseconds = ((time - seconds) * 1e9) as u32;
    json!({ "stamp": { "sec": seconds as i64, "nanosec": nanoseconds }, "frame_id": frame })
}

/// `JointState` of the arm without the jaw.
pub(super) fn measured_joints(reading: &PsmReading) -> Value {
    json!({
        "header": header(reading.time, ""),
        "name": JOINTS,
        "position": reading.position.as_slice()[..JAW],
        "velocity": reading.velocity.as_slice()[..JAW],
        "effort": reading.effort.as_slice()[..JAW],
    })
}

/// `JointState` of the reference.
pub(super) fn setpoint_joints(reading: &PsmReading) -> Value {
    json!({
        "header": header(reading.time, ""),
        "name": JOINTS,
        "position": reading.setpoint.as_slice()[..JAW],
        "velocity": [],
        "effort": [],
    })
}

/// `JointState` of the jaw.
pub(super) fn measured_jaw(reading: &PsmReading) -> Value {
    json!({
        "header": header(reading.time, ""),
        "name": ["jaw"],
        "position": [reading.position[JAW]],
        "velocity": [reading.velocity[JAW]],
        "effort": [reading.effort[JAW]],
    })
}

/// `PoseStamped` of the tool in the arm's base.
pub(super) fn measured_pose(reading: &PsmReading, frame: &str) -> Value {
    let pose = &reading.base_from_tool;
    let position = pose.translation.vector;
    let rotation = UnitQuaternion::from_rotation_matrix(&pose.rotation);
    let [x, y, z, w] = rotation.coords.into();
    json!({
        "header": header(reading.time, frame),
        "pose": {
            "position": vector(&position),
            "orientation": { "x": x, "y": y, "z": z, "w": w },
        },
    })
}

/// `WrenchStamped` of the force on the tip.
pub(super) fn measured_force(reading: &PsmReading, frame: &str) -> Value {
    json!({
        "header": header(reading.time, frame),
        "wrench": { "force": vector(&reading.force), "torque": vector(&Vector3::zeros()) },
    })
}

fn vector(of: &Vector3<f64>) -> Value {
    json!({ "x": of.x, "y": of.y, "z": of.z })
}

/// Numbers of a `JointState`'s field.
pub(super) fn numbers<const N: usize>(message: &Value, field: &str) -> Result<[f64; N], String> {
    let values = message[field].as_array();
    let values = values.ok_or_else(|| format!("{field} is missing; it must have {N} numbers"))?;
    let numbers: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
    let numbers = numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
    numbers.ok_or_else(|| format!("{field} must have {N} numbers"))
}

/// The pose of a `PoseStamped`, or of a `TransformStamped`, which the dVRK's software published before version 2.
pub(super) fn pose(message: &Value) -> Result<IsometryMatrix3<f64>, String> {
    let [position, orientation] = match message.get("transform") {
        Some(transform) => [&transform["translation"], &transform["rotation"]],
        None => [
            &message["pose"]["position"],
            &message["pose"]["orientation"],
        ],
    };
    let number = |of: &Value, name: &str| {
        let number = of[name].as_f64();
        number.ok_or_else(|| format!("the pose's {name} is missing or no number"))
    };
    let at = |name| number(position, name);
    let position = Vector3::new(at("x")?, at("y")?, at("z")?);
    let turn = |name| number(orientation, name);
    let rotation = Quaternion::new(turn("w")?, turn("x")?, turn("y")?, turn("z")?);
    let norm = rotation.norm();
    if (norm - 1.0).abs() > NORM_TOLERANCE {
        return Err(format!(
            "the orientation has a norm of {norm}; it must be 1"
        ));
    }
    Ok(IsometryMatrix3::from_parts(
        Translation3::from(position),
        UnitQuaternion::from_quaternion(rotation).to_rotation_matrix(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_comes_back_from_its_message() {
        let turned = UnitQuaternion::from_euler_angles(0.3, -0.2, 2.0);
        let reading = PsmReading {
            time: 12.25,
            position: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].into(),
            velocity: [0.0; 7].into(),
            effort: [0.0; 7].into(),
            setpoint: [0.0; 7].into(),
            base_from_tool: IsometryMatrix3::from_parts(
                Translation3::new(0.1, -0.2, 0.05),
                turned.to_rotation_matrix(),
            ),
            force: Vector3::new(1.0, 2.0, 3.0),
        };
        let message = measured_pose(&reading, "base");
        let stamp = json!({ "sec": 12, "nanosec": 250_000_000 });
        assert_eq!(message["header"]["stamp"], stamp);
        let found = pose(&message).expect("it is a pose");
        let difference = found.to_homogeneous() - reading.base_from_tool.to_homogeneous();
        assert!(difference.norm() < 1e-12, "{difference}");
        let older = json!({ "transform": { "translation": message["pose"]["position"], "rotation": message["pose"]["orientation"] } });
        assert_eq!(pose(&older), Ok(found));
        let joints = measured_joints(&reading);
        let expected = Ok([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(numbers(&joints, "position"), expected);
        assert_eq!(measured_jaw(&reading)["position"], json!([7.0]));
    }

    #[test]
    fn incomplete_messages_are_refused_by_field() {
        let short = numbers::<6>(&json!({ "position": [1.0] }), "position");
        assert_eq!(short, Err("position must have 6 numbers".to_owned()));
        let text = numbers::<1>(&json!({ "position": ["1"] }), "position");
        assert_eq!(text, Err("position must have 1 numbers".to_owned()));
        assert!(numbers::<1>(&json!({}), "effort").is_err());
        let position = json!({ "x": 0, "y": 0, "z": 0 });
        let flat = json!({ "pose": { "position": position, "orientation": { "x": 0, "y": 0, "z": 0, "w": 0 } } });
        assert!(pose(&flat).expect_err("no rotation").contains("norm of 0"));
        let bare = json!({ "pose": { "position": position } });
        assert!(pose(&bare).expect_err("no rotation").contains("pose's w"));
    }
}

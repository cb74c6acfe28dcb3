//! A motion in memory: its coordinates, its columns, and the rates that are allowed.

use crate::coupling;
use crate::joints::{JointVector, N_JOINTS};

/// Numbers per sample.
pub(super) const N_COLUMNS: usize = 3 * N_JOINTS;
/// Allowed rates [Hz].
pub(super) const RATES: [f64; 2] = [20.0, 10_000.0];
/// Index of the insertion, the joint in metres.
pub(super) const INSERTION: usize = 2;
/// Names of the three quantities in headers; messages use the first.
pub(super) const NAMES: [&[&str]; 3] = [
    &["q", "position"],
    &["dq", "qd", "velocity"],
    &["tau", "torque", "effort"],
];

/// Coordinates of the numbers in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinates {
    /// Joints of the mechanism: wrist pitch and the angle of each jaw.
    Joint,
    /// Motors 5 to 7 instead of these, like the dVRK identification logs.
    Motor,
}

impl Coordinates {
    /// Converts positions, velocities or accelerations in these coordinates to joints.
    pub fn joints(self, values: &JointVector) -> JointVector {
        match self {
            Self::Joint => *values,
            Self::Motor => coupling::joint_from_motor(values),
        }
    }

    /// Converts positions, velocities or accelerations of the joints to these coordinates.
    pub fn from_joints(self, joints: &JointVector) -> JointVector {
        match self {
            Self::Joint => *joints,
            Self::Motor => coupling::motor_from_joint(joints),
        }
    }

    /// Converts joint torques to these coordinates.
    pub fn torques(self, joint_torque: &JointVector) -> JointVector {
        match self {
            Self::Joint => *joint_torque,
            Self::Motor => coupling::motor_torque_from_joint(joint_torque),
        }
    }
}

/// A recorded motion.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionLog {
    /// Name of the log in messages, such as its file.
    pub name: String,
    /// Sample rate [Hz].
    pub rate_hz: f64,
    /// Coordinates of the vectors below.
    pub coordinates: Coordinates,
    /// Positions [rad, m].
    pub q: Vec<JointVector>,
    /// Velocities [rad/s, m/s].
    pub dq: Vec<JointVector>,
    /// Torques and forces [N m, N].
    pub tau: Vec<JointVector>,
}

/// A column as messages name it.
pub(super) fn column_name(index: usize) -> String {
    format!(
        "column {}{}",
        NAMES[index / N_JOINTS][0],
        index % N_JOINTS + 1
    )
}

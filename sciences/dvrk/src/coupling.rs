//! Cable coupling of the instrument: three motors together move wrist pitch and both jaws.
//!
//! Motor coordinates are `[q1, q2, q3, q4, m5, m6, m7]`; the first four equal the joints.
//! wrist pitch = 1.0186 m5, jaw a = -0.8306 m5 + 1.2178 m6, jaw b = -0.8306 m5 + 1.2178 m7
//! (large needle driver, part 400006, from the dVRK's configuration and Wang et al. 2019).
//! Power is conserved, so torques convert with the transposed matrix.
//! [`console_from_joint`] returns the values that the dVRK's software reports: wrist yaw (a + b)/2 and jaw opening b - a.

use nalgebra::SMatrix;

use crate::joints::{JointVector, N_JOINTS};

/// Wrist pitch per motion of motor 5.
const PITCH_PER_MOTOR: f64 = 1.0186;
/// Jaw angle per motion of motor 5: the wrist pitch moves the cables of the jaws.
const JAW_PER_PITCH_MOTOR: f64 = -0.8306;
/// Jaw angle per motion of its own motor.
const JAW_PER_MOTOR: f64 = 1.2178;

type JointMatrix = SMatrix<f64, N_JOINTS, N_JOINTS>;

/// The matrix C of `joint = C motor`.
pub fn joint_from_motor_matrix() -> JointMatrix {
    let mut c = JointMatrix::identity();
    c[(4, 4)] = PITCH_PER_MOTOR;
    for jaw in [5, 6] {
        c[(jaw, 4)] = JAW_PER_PITCH_MOTOR;
        c[(jaw, jaw)] = JAW_PER_MOTOR;
    }
    c
}

/// The matrix C⁻¹ of `motor = C⁻¹ joint`.
pub fn motor_from_joint_matrix() -> JointMatrix {
    let mut inverse = JointMatrix::identity();
    inverse[(4, 4)] = 1.0 / PITCH_PER_MOTOR;
    for jaw in [5, 6] {
        inverse[(jaw, 4)] = -JAW_PER_PITCH_MOTOR / (PITCH_PER_MOTOR * JAW_PER_MOTOR);
        inverse[(jaw, jaw)] = 1.0 / JAW_PER_MOTOR;
    }
    inverse
}

/// Joint positions, velocities or accelerations from motor values.
pub fn joint_from_motor(motor: &JointVector) -> JointVector {
    joint_from_motor_matrix() * motor
}

/// Motor positions, velocities or accelerations from joint values.
pub fn motor_from_joint(joint: &JointVector) -> JointVector {
    motor_from_joint_matrix() * joint
}

/// Joint torques from motor torques: τ_joint = C⁻ᵀ τ_motor.
pub fn joint_torque_from_motor(motor_torque: &JointVector) -> JointVector {
    motor_from_joint_matrix().transpose() * motor_torque
}

/// Motor torques from joint torques: τ_motor = Cᵀ τ_joint.
pub fn motor_torque_from_joint(joint_torque: &JointVector) -> JointVector {
    joint_from_motor_matrix().transpose() * joint_torque
}

/// Joint values as the dVRK reports them: the jaws as `[.., wrist yaw, jaw opening]`.
pub fn console_from_joint(joint: &JointVector) -> JointVector {
    let mut console = *joint;
    console[5] = 0.5 * (joint[5] + joint[6]);
    console[6] = joint[6] - joint[5];
    console
}

/// The inverse of [`console_from_joint`].
pub fn joint_from_console(console: &JointVector) -> JointVector {
    let mut joint = *console;
    joint[5] = console[5] - 0.5 * console[6];
    joint[6] = console[5] + 0.5 * console[6];
    joint
}

/// Joint torques from torques of wrist yaw and jaw opening, with the same power.
pub fn joint_torque_from_console(console_torque: &JointVector) -> JointVector {
    let mut joint = *console_torque;
    joint[5] = 0.5 * console_torque[5] - console_torque[6];
    joint[6] = 0.5 * console_torque[5] + console_torque[6];
    joint
}

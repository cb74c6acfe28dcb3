//! Joints, drives and frames of the arm: numbers, names, and one number per joint.

use nalgebra::SVector;

/// Number of actuated joints.
pub const N_JOINTS: usize = 7;
/// Number of frames, including the base.
pub const N_LINKS: usize = 14;
/// Number of drives.
pub(crate) const N_DRIVES: usize = 10;

/// One number per joint, `[yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b]`, in rad and N m; for the insertion in m and N.
pub type JointVector = SVector<f64, N_JOINTS>;

/// Names of the joints, in the order of a [`JointVector`].
pub const JOINT_NAMES: [&str; N_JOINTS] = [
    "yaw",
    "pitch",
    "insertion",
    "roll",
    "wrist_pitch",
    "jaw_a",
    "jaw_b",
];

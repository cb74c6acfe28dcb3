//! The master tool manipulator: seven joints; the axes of the last four intersect in the surgeon's hand.
//!
//! Source: the kinematic file of the right master in the dVRK's software (sawIntuitiveResearchKit, `share/kinematic/mtmr.json`), after the dVRK user guide; standard Denavit-Hartenberg.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{IsometryMatrix3, SMatrix, SVector};

use crate::serial::{Chain, Convention, Row};

/// Joints of a master: outer yaw, shoulder pitch, elbow pitch, wrist platform, wrist pitch, wrist yaw, wrist roll [rad].
pub const N_JOINTS: usize = 7;
/// Shoulder to elbow [m].
const ARM: f64 = 0.2794;
/// Elbow to wrist platform [m].
const FOREARM: f64 = 0.3645;
/// Height of the wrist platform above the intersection of the wrist's axes [m].
const HEIGHT: f64 = 0.1506;
/// Motion of the wrist platform per motion of the elbow and shoulder motors, through the cables.
const PLATFORM_PER_ELBOW: f64 = 0.6697;

fn chain(q: &SVector<f64, N_JOINTS>) -> Chain<N_JOINTS> {
    let right = FRAC_PI_2;
    let rows = [
        [right, 0.0, 0.0, -right],
        [0.0, ARM, 0.0, -right],
        [-right, FOREARM, 0.0, right],
        [right, 0.0, HEIGHT, 0.0],
        [-right, 0.0, 0.0, 0.0],
        [right, 0.0, 0.0, -right],
        [0.0, 0.0, 0.0, right],
    ];
    let rows = rows.map(|row| Row { row, slides: false });
    Chain::new(&rows, Convention::Standard, &(*q).into())
}

/// Pose of the gripper in the base frame; its origin is the intersection of the wrist's axes.
pub fn gripper_pose(q: &SVector<f64, N_JOINTS>) -> IsometryMatrix3<f64> {
    chain(q).tip
}

/// Jacobian of the gripper, shape [6, 7]: velocity [m/s] and angular velocity [rad/s] in the base frame per joint velocity.
pub fn gripper_jacobian(q: &SVector<f64, N_JOINTS>) -> SMatrix<f64, 6, N_JOINTS> {
    chain(q).jacobian()
}

/// The matrix C of `joint = C motor`: elbow and platform also move with the cables of neighbouring motors.
pub fn joint_from_motor_matrix() -> SMatrix<f64, N_JOINTS, N_JOINTS> {
    let mut c = SMatrix::identity();
    c[(2, 1)] = -1.0;
    c[(3, 1)] = PLATFORM_PER_ELBOW;
    c[(3, 2)] = -PLATFORM_PER_ELBOW;
    c
}

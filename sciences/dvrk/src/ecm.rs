//! The endoscopic camera manipulator: yaw and pitch about its remote centre, insertion, roll.
//!
//! Source: its kinematic file in the dVRK's software (sawIntuitiveResearchKit, `share/kinematic/ecm.json`), after the dVRK user guide; modified Denavit-Hartenberg, base at the remote centre.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{IsometryMatrix3, SMatrix, SVector, Vector3};

use crate::error::DvrkError;
use crate::serial::{Chain, Convention, Row};

/// Number of joints of the camera arm: yaw, pitch [rad], insertion [m], roll [rad].
pub const N_JOINTS: usize = 4;
/// Remote centre to the zero of insertion [m].
const REMOTE_CENTRE: f64 = 0.3822;
/// Zero of insertion to the tip of the endoscope [m].
const SCOPE: f64 = 0.3829;
/// Distance between tip and remote centre [m] below which the direction of the endoscope is undefined.
const SINGULAR: f64 = 1e-9;

fn chain(q: &SVector<f64, N_JOINTS>) -> Chain<N_JOINTS> {
    let right = FRAC_PI_2;
    let turns = |row| Row { row, slides: false };
    let rows = [
        turns([right, 0.0, 0.0, right]),
        turns([-right, 0.0, 0.0, -right]),
        Row {
            row: [right, 0.0, -REMOTE_CENTRE, 0.0],
            slides: true,
        },
        turns([0.0, 0.0, SCOPE, 0.0]),
    ];
    Chain::new(&rows, Convention::Modified, &(*q).into())
}

/// Pose of the endoscope's tip in the base frame; z points along the endoscope, like the camera of a straight endoscope.
pub fn tip_pose(q: &SVector<f64, N_JOINTS>) -> IsometryMatrix3<f64> {
    chain(q).tip
}

/// Jacobian of the tip, shape [6, 4]: velocity [m/s] and angular velocity [rad/s] in the base frame per joint velocity.
pub fn tip_jacobian(q: &SVector<f64, N_JOINTS>) -> SMatrix<f64, 6, N_JOINTS> {
    chain(q).jacobian()
}

/// Joint positions for the tip at `position` [m] in the base frame with the given roll [rad].
///
/// # Errors
///
/// [`DvrkError::Unreachable`] at the remote centre and for numbers that are not finite.
pub fn inverse_kinematics(
    position: &Vector3<f64>,
    roll: f64,
) -> Result<SVector<f64, N_JOINTS>, DvrkError> {
    let depth = position.norm();
    if !(depth > SINGULAR && depth.is_finite() && roll.is_finite()) {
        return Err(DvrkError::Unreachable {
            frame: "the endoscope's tip",
            reason: format!(
                "its distance from the remote centre is {depth} m; it must be above {SINGULAR:e} m; roll is {roll} rad; it must be finite"
            ),
        });
    }
    let direction = position / depth;
    Ok(SVector::<f64, N_JOINTS>::new(
        direction.x.atan2(-direction.z),
        -direction.y.asin(),
        depth + REMOTE_CENTRE - SCOPE,
        roll,
    ))
}

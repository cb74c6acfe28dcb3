//! Parameters of the PSM: as published, and physically feasible.

mod classic;
mod identified;

pub use classic::classic;
pub use identified::identified;

use crate::coupling;
use crate::drive::Drive;
use crate::joints::{JointVector, N_DRIVES, N_JOINTS};

/// Gravity in Wang et al. 2019 [m/s²].
const GRAVITY: f64 = 9.81;

/// Drives with names and couplings; each row is `[Fc, Fv, Fo, motor inertia, stiffness]`.
fn drives(rows: &[[f64; 5]; N_DRIVES]) -> [Drive; N_DRIVES] {
    let unit = |joint: usize| JointVector::from_fn(|row, _| f64::from(u8::from(row == joint)));
    let motors = coupling::motor_from_joint_matrix();
    let motor = |joint: usize| -> JointVector { motors.row(joint).transpose() };
    let combinations: [(&'static str, JointVector); N_DRIVES] = [
        ("1 yaw", unit(0)),
        ("2 pitch", unit(1)),
        ("8 insertion", unit(2)),
        ("10 roll", unit(3)),
        ("11 wrist pitch", unit(4)),
        ("12 jaw a", unit(5)),
        ("13 jaw b", unit(N_JOINTS - 1)),
        ("14 motor 6", motor(5)),
        ("15 motor 7", motor(N_JOINTS - 1)),
        ("16 between jaws", unit(N_JOINTS - 1) - unit(5)),
    ];
    std::array::from_fn(|index| {
        let (name, coefficients) = combinations[index];
        let [
            coulomb_friction,
            viscous_friction,
            offset,
            motor_inertia,
            stiffness,
        ] = rows[index];
        Drive {
            name,
            coefficients,
            coulomb_friction,
            viscous_friction,
            offset,
            motor_inertia,
            stiffness,
        }
    })
}

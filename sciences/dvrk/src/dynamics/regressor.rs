//! Regressor: torques as a linear function of the parameters, τ = Y(q, q̇, q̈) δ (Wang et al. 2019, Eq. 4 to 8).
//!
//! δ has the entries of that work: barycentric inertias of the eight heavy links, friction of the ten drives, and the identified motor inertias and spring. The inertia of the distal links is too small to identify.
//! Y is computed from Jacobians, independently of the recursion of `newton_euler`, so that each tests the other.

use nalgebra::{DVector, IsometryMatrix3, SMatrix, Vector3};

use crate::drive::sign;
use crate::inertia::Inertia;
use crate::joints::{JointVector, N_DRIVES, N_JOINTS, N_LINKS};
use crate::psm::Psm;

/// Links with identified inertia, in Wang's numbering.
pub(crate) const HEAVY_LINKS: [usize; 8] = [1, 2, 4, 5, 6, 7, 8, 9];
/// Drives with identified motor inertia: roll, wrist pitch, motors 6 and 7. For the other drives it is part of a link's inertia.
const MOTORS: [usize; 4] = [3, 4, 7, 8];
/// The drive with a spring: roll.
const SPRING: usize = 3;
/// Number of inertia columns.
pub(crate) const N_INERTIAL: usize = 10 * HEAVY_LINKS.len();
/// First column of Coulomb friction; viscous and constant friction follow.
pub(crate) const FRICTION: usize = N_INERTIAL;
/// First column of motor inertia.
pub(crate) const MOTOR_INERTIA: usize = FRICTION + 3 * N_DRIVES;
/// Number of standard parameters δ: 80 of inertia, 30 of friction, 4 motors, 1 spring.
pub const N_PARAMETERS: usize = MOTOR_INERTIA + MOTORS.len() + 1;

/// The regressor, shape [7, 115].
pub type Regressor = SMatrix<f64, N_JOINTS, N_PARAMETERS>;

/// Name of a standard parameter such as `L2xy`, `l8z`, `m9`, `Fc10`, `Ia14`, `K10`, as Wang et al. write them.
///
/// # Panics
///
/// If `index` is not below [`N_PARAMETERS`].
pub fn parameter_name(index: usize) -> String {
    const INERTIAL: [&str; 10] = [
        "Lxx", "Lxy", "Lxz", "Lyy", "Lyz", "Lzz", "lx", "ly", "lz", "m",
    ];
    const DRIVES: [u8; N_DRIVES] = [1, 2, 8, 10, 11, 12, 13, 14, 15, 16];
    assert!(index < N_PARAMETERS, "there are {N_PARAMETERS} parameters");
    if index < N_INERTIAL {
        let (kind, axes) = INERTIAL[index % 10].split_at(1);
        format!("{kind}{}{axes}", HEAVY_LINKS[index / 10])
    } else if index < MOTOR_INERTIA {
        let (kind, drive) = ((index - FRICTION) / N_DRIVES, (index - FRICTION) % N_DRIVES);
        format!("{}{}", ["Fc", "Fv", "Fo"][kind], DRIVES[drive])
    } else if index < N_PARAMETERS - 1 {
        format!("Ia{}", DRIVES[MOTORS[index - MOTOR_INERTIA]])
    } else {
        format!("K{}", DRIVES[SPRING])
    }
}

impl Psm {
    /// The standard parameters δ, shape [115]; [`parameter_name`] names them.
    pub fn parameters(&self) -> DVector<f64> {
        let mut delta = Vec::with_capacity(N_PARAMETERS);
        for link in HEAVY_LINKS {
            delta.extend(self.links[link].inertia.to_parameters().iter());
        }
        delta.extend(self.drives.iter().map(|drive| drive.coulomb_friction));
        delta.extend(self.drives.iter().map(|drive| drive.viscous_friction));
        delta.extend(self.drives.iter().map(|drive| drive.offset));
        delta.extend(MOTORS.map(|motor| self.drives[motor].motor_inertia));
        delta.push(self.drives[SPRING].stiffness);
        DVector::from_vec(delta)
    }

    /// The same arm with the standard parameters `delta`.
    ///
    /// # Panics
    ///
    /// If the number of entries of `delta` is not [`N_PARAMETERS`].
    pub fn with_parameters(mut self, delta: &DVector<f64>) -> Self {
        assert_eq!(delta.len(), N_PARAMETERS);
        for (row, link) in HEAVY_LINKS.into_iter().enumerate() {
            let parameters = std::array::from_fn(|entry| delta[10 * row + entry]);
            self.links[link].inertia = Inertia::from_parameters(&parameters);
        }
        for (index, drive) in self.drives.iter_mut().enumerate() {
            drive.coulomb_friction = delta[FRICTION + index];
            drive.viscous_friction = delta[FRICTION + N_DRIVES + index];
            drive.offset = delta[FRICTION + 2 * N_DRIVES + index];
        }
        for (index, motor) in MOTORS.into_iter().enumerate() {
            self.drives[motor].motor_inertia = delta[MOTOR_INERTIA + index];
        }
        self.drives[SPRING].stiffness = delta[N_PARAMETERS - 1];
        self
    }

    /// The regressor Y(q, q̇, q̈) from standard parameters to joint torques [N m, N].
    pub fn regressor(&self, q: &JointVector, dq: &JointVector, ddq: &JointVector) -> Regressor {
        let mut regressor = Regressor::zeros();
        let base_from = self.forward_kinematics(q);
        let jacobians: [_; N_LINKS] =
            std::array::from_fn(|index| self.origin_jacobian(&base_from, index));
        for (block, link) in HEAVY_LINKS.into_iter().enumerate() {
            let jacobian = &jacobians[link];
            let rate = self.jacobian_rate(&base_from, &jacobians, link, dq);
            let acceleration = jacobian * ddq + rate * dq;
            let turn = |v: Vector3<f64>| base_from[link].rotation.inverse() * v;
            let wrench = wrench_on_inertia(
                &turn((jacobian * dq).fixed_rows::<3>(3).into()),
                &turn(acceleration.fixed_rows::<3>(3).into()),
                &turn(acceleration.fixed_rows::<3>(0) - self.gravity),
            );
            let in_base = turned(&wrench, &base_from[link]);
            let torque = jacobian.transpose() * in_base;
            regressor
                .fixed_view_mut::<N_JOINTS, 10>(0, 10 * block)
                .copy_from(&torque);
        }
        for (index, drive) in self.drives.iter().enumerate() {
            let c = &drive.coefficients;
            let ds = c.dot(dq);
            regressor.set_column(FRICTION + index, &(c * sign(ds)));
            regressor.set_column(FRICTION + N_DRIVES + index, &(c * ds));
            regressor.set_column(FRICTION + 2 * N_DRIVES + index, c);
        }
        for (index, motor) in MOTORS.into_iter().enumerate() {
            let c = &self.drives[motor].coefficients;
            regressor.set_column(MOTOR_INERTIA + index, &(c * c.dot(ddq)));
        }
        let c = &self.drives[SPRING].coefficients;
        regressor.set_column(N_PARAMETERS - 1, &(c * c.dot(q)));
        regressor
    }
}

type WrenchOnInertia = SMatrix<f64, 6, 10>;

/// Force and torque about the origin per barycentric parameter, for the given angular velocity, angular acceleration, and acceleration minus gravity, all in the body's frame.
fn wrench_on_inertia(
    omega: &Vector3<f64>,
    alpha: &Vector3<f64>,
    a: &Vector3<f64>,
) -> WrenchOnInertia {
    let (spin, turn) = (omega.cross_matrix(), alpha.cross_matrix());
    let mut wrench = WrenchOnInertia::zeros();
    let mut torque = wrench.fixed_view_mut::<3, 6>(3, 0);
    torque.copy_from(&(on_inertia(alpha) + spin * on_inertia(omega)));
    let mut force = wrench.fixed_view_mut::<3, 3>(0, 6);
    force.copy_from(&(turn + spin * spin));
    let mut torque = wrench.fixed_view_mut::<3, 3>(3, 6);
    torque.copy_from(&-a.cross_matrix());
    let mut force = wrench.fixed_view_mut::<3, 1>(0, 9);
    force.copy_from(a);
    wrench
}

/// K(v) with L v = K(v) [Lxx, Lxy, Lxz, Lyy, Lyz, Lzz].
#[rustfmt::skip]
fn on_inertia(v: &Vector3<f64>) -> SMatrix<f64, 3, 6> {
    SMatrix::<f64, 3, 6>::new(
        v.x, v.y, v.z, 0.0, 0.0, 0.0,
        0.0, v.x, 0.0, v.y, v.z, 0.0,
        0.0, 0.0, v.x, 0.0, v.y, v.z,
    )
}

/// Rotates force and torque to base axes.
fn turned(wrench: &WrenchOnInertia, base_from: &IsometryMatrix3<f64>) -> WrenchOnInertia {
    let rotation = base_from.rotation.matrix();
    let mut in_base = *wrench;
    for half in [0, 3] {
        let turned = rotation * wrench.fixed_rows::<3>(half);
        in_base.fixed_rows_mut::<3>(half).copy_from(&turned);
    }
    in_base
}

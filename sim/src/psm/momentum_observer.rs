//! The generalised-momentum observer: external torques from the motor torques, without accelerations.
//!
//! $r = K\,\bigl(p - \int (\tau - \tau_f + C^T \dot q - g + r)\,dt - p_0\bigr)$ with $p = M(q)\,\dot q$ follows the external torque with
//! the time constant $1/K$ (De Luca, Mattone 2005, doi:10.1109/ROBOT.2005.1570701).
//! The force on the tip follows from its torques on yaw, pitch and insertion: $F = J^{-T} r$ with the Jacobian of the wrist's point.

use insonate_dvrk::{JointVector, Psm};
use nalgebra::{Matrix3, Vector3};

use super::computed_torque::smooth_friction;
use super::{ComputedTorqueConfig, JointState};

/// Estimates external torques and the force on the tip.
#[derive(Debug, Clone)]
pub struct MomentumObserver {
    psm: Psm,
    /// Inverse of the time constant [1/s].
    gain: f64,
    friction_width: JointVector,
    /// The integral and the momentum at the start.
    integral: JointVector,
    residual: JointVector,
}

impl MomentumObserver {
    /// An observer that starts with the arm in `state`, without an external force.
    pub fn new(psm: Psm, gain: f64, state: &JointState) -> Self {
        let momentum = psm.mass_matrix(&state.q) * state.dq;
        Self {
            psm,
            gain,
            friction_width: ComputedTorqueConfig::default().friction_width,
            integral: momentum,
            residual: JointVector::zeros(),
        }
    }

    /// Advances by `dt` [s], during which the motors applied these joint torques in this state; returns the external joint torques.
    pub fn advance(
        &mut self,
        q: &JointVector,
        dq: &JointVector,
        torque: &JointVector,
        dt: f64,
    ) -> JointVector {
        let coriolis = self.psm.coriolis(q, dq).transpose() * dq;
        let friction = smooth_friction(&self.psm, dq, &self.friction_width);
        self.integral +=
            (torque - friction + coriolis - self.psm.gravity_torque(q) + self.residual) * dt;
        let momentum = self.psm.mass_matrix(q) * dq;
        self.residual = self.gain * (momentum - self.integral);
        self.residual
    }

    /// Force of the surroundings on the tool's point in frame 0 [N], from the torques on yaw, pitch and insertion.
    pub fn tip_force(&self, q: &JointVector) -> Vector3<f64> {
        let jacobian = self.psm.tool_jacobian(q);
        let first: Matrix3<f64> = jacobian.fixed_view::<3, 3>(0, 0).into();
        let felt = self.residual.fixed_rows::<3>(0).into_owned();
        first
            .transpose()
            .try_inverse()
            .map_or(Vector3::zeros(), |inverse| inverse * felt)
    }
}

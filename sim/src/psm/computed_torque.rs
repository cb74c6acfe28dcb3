//! Computed torque: $\tau = M(q)\,(\ddot q_d + K_d \dot e + K_p e) + C(q, \dot q)\,\dot q + g(q) + \tau_f(\dot q_d)$.
//!
//! Feedback linearisation as in Ferro et al. 2022, Eq. 6–7, in joint coordinates, with the friction of the identified model added.
//! Friction is computed from the wanted velocity, because measured velocities change sign with every vibration.

use insonate_dvrk::{JointVector, Psm};

use super::{JointControl, JointLaw, JointState};

/// Gains of [`ComputedTorque`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComputedTorqueConfig {
    /// Gain of the position error [1/s²].
    pub stiffness: JointVector,
    /// Gain of the velocity error [1/s].
    pub damping: JointVector,
    /// Velocity range over which compensated Coulomb friction changes its sign [rad/s, m/s].
    pub friction_width: JointVector,
}

impl Default for ComputedTorqueConfig {
    /// Ferro et al. 2022: 800 1/s² and 60 1/s; larger gains for the wrist, where friction is many times the torque of its inertia.
    fn default() -> Self {
        let [arm, wrist] = [[800.0, 60.0], [40_000.0, 400.0]];
        let gains = |which: usize| {
            JointVector::from_fn(|joint, _| if joint < 3 { arm[which] } else { wrist[which] })
        };
        Self {
            stiffness: gains(0),
            damping: gains(1),
            friction_width: JointVector::from([2e-3, 2e-3, 2e-4, 2e-3, 2e-3, 2e-3, 2e-3]),
        }
    }
}

/// Controller that follows a motion with the arm's own dynamics.
pub type ComputedTorque = JointControl<ComputedTorqueConfig>;

/// Friction at `dq`; its Coulomb part changes its sign over the velocities `width` of the joints.
pub(super) fn smooth_friction(psm: &Psm, dq: &JointVector, width: &JointVector) -> JointVector {
    let mut torque = JointVector::zeros();
    for drive in &psm.drives {
        let c = &drive.coefficients;
        let (speed, width) = (c.dot(dq), c.abs().dot(width));
        let coulomb = drive.coulomb_friction * (speed / width).clamp(-1.0, 1.0);
        torque.axpy(
            coulomb + drive.viscous_friction * speed + drive.offset,
            c,
            1.0,
        );
    }
    torque
}

/// Torques of the bodies, rotors and spring for an acceleration, without friction [N·m, N].
pub fn frictionless_torque(
    psm: &Psm,
    q: &JointVector,
    dq: &JointVector,
    ddq: &JointVector,
) -> JointVector {
    let mut torque = psm.rigid_body_torque(q, dq, ddq);
    for drive in &psm.drives {
        let c = &drive.coefficients;
        torque.axpy(
            drive.motor_inertia * c.dot(ddq) + drive.stiffness * c.dot(q),
            c,
            1.0,
        );
    }
    torque
}

impl JointLaw for ComputedTorqueConfig {
    fn torque(
        &self,
        psm: &Psm,
        q: &JointVector,
        dq: &JointVector,
        target: &JointState,
    ) -> JointVector {
        let acceleration = target.ddq
            + self.stiffness.component_mul(&(target.q - q))
            + self.damping.component_mul(&(target.dq - dq));
        frictionless_torque(psm, q, dq, &acceleration)
            + smooth_friction(psm, &target.dq, &self.friction_width)
    }
}

//! Computed torque: $\tau = M(q)\,(\ddot q_d + K_d \dot e + K_p e) + C(q, \dot q)\,\dot q + g(q) + \tau_f(\dot q_d)$.
//!
//! Feedback linearisation as in Ferro et al. 2022, Eq. 6–7, in joint coordinates, with the friction of the identified model added.
//! Friction is computed from the wanted velocity, because measured velocities change sign with every vibration.

use insonate_dvrk::{JointVector, Psm};

use super::{JointState, PsmArm, model_of};
use crate::controllers::Controller;
use crate::{Physics, SimError};

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
#[derive(Debug, Clone)]
pub struct ComputedTorque {
    /// Gains.
    pub config: ComputedTorqueConfig,
    arm: PsmArm,
    psm: Psm,
    target: JointState,
}

impl ComputedTorque {
    /// A controller that holds the arm where it is.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene's robot is not a PSM.
    pub fn new(physics: &Physics, config: ComputedTorqueConfig) -> Result<Self, SimError> {
        let arm = PsmArm::new(physics.model())?;
        let psm = model_of(physics.model())?;
        let target = JointState::at_rest(arm.positions(physics));
        Ok(Self {
            config,
            arm,
            psm,
            target,
        })
    }
}

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

impl Controller for ComputedTorque {
    type Target = JointState;

    fn reset(&mut self, physics: &Physics) {
        self.target = JointState::at_rest(self.arm.positions(physics));
    }

    fn set_target(&mut self, _physics: &Physics, target: JointState) {
        self.target = target;
    }

    fn control(&mut self, physics: &mut Physics) {
        let (q, dq) = (self.arm.positions(physics), self.arm.velocities(physics));
        let JointState {
            q: wanted,
            dq: rate,
            ddq,
        } = self.target;
        let acceleration = ddq
            + self.config.stiffness.component_mul(&(wanted - q))
            + self.config.damping.component_mul(&(rate - dq));
        let torque = frictionless_torque(&self.psm, &q, &dq, &acceleration)
            + smooth_friction(&self.psm, &rate, &self.config.friction_width);
        self.arm.apply(physics, &torque);
    }
}

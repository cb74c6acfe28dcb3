//! PD with gravity compensation: $\tau = K_p (q_d - q) + K_d (\dot q_d - \dot q) + g(q)$.

use insonate_dvrk::{JointVector, Psm};

use super::{JointState, PsmArm, model_of};
use crate::controllers::Controller;
use crate::{Physics, SimError};

/// Gains of [`PdGravity`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PdGravityConfig {
    /// Stiffness [N·m/rad, N/m].
    pub stiffness: JointVector,
    /// Damping [N·m·s/rad, N·s/m].
    pub damping: JointVector,
}

impl Default for PdGravityConfig {
    /// For the first three joints, the gains of [`super::ComputedTorqueConfig`] times the inertia in the middle of the workspace.
    /// For the light wrist, gains that overcome its friction.
    fn default() -> Self {
        Self {
            stiffness: JointVector::from([190.0, 190.0, 570.0, 0.5, 2.0, 1.0, 1.0]),
            damping: JointVector::from([14.0, 14.0, 43.0, 2e-3, 2e-3, 2e-3, 2e-3]),
        }
    }
}

/// A spring and a damper on every joint, and the torque that carries the arm's weight.
#[derive(Debug, Clone)]
pub struct PdGravity {
    /// Gains.
    pub config: PdGravityConfig,
    arm: PsmArm,
    psm: Psm,
    target: JointState,
}

impl PdGravity {
    /// A controller that holds the arm where it is.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene's robot is not a PSM.
    pub fn new(physics: &Physics, config: PdGravityConfig) -> Result<Self, SimError> {
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

impl JointState {
    /// State at rest at `q`.
    pub fn at_rest(q: JointVector) -> Self {
        Self {
            q,
            dq: JointVector::zeros(),
            ddq: JointVector::zeros(),
        }
    }
}

impl Controller for PdGravity {
    type Target = JointState;

    fn reset(&mut self, physics: &Physics) {
        self.target = JointState::at_rest(self.arm.positions(physics));
    }

    fn set_target(&mut self, _physics: &Physics, target: JointState) {
        self.target = target;
    }

    fn control(&mut self, physics: &mut Physics) {
        let (q, dq) = (self.arm.positions(physics), self.arm.velocities(physics));
        let spring = self.config.stiffness.component_mul(&(self.target.q - q));
        let damper = self.config.damping.component_mul(&(self.target.dq - dq));
        let torque = spring + damper + self.psm.gravity_torque(&q);
        self.arm.apply(physics, &torque);
    }
}

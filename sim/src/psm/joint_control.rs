//! What the control laws of the PSM share: the arm, its model and the wanted motion.

use insonate_dvrk::{JointVector, Psm};

use super::{JointState, PsmArm, model_of};
use crate::controllers::Controller;
use crate::{Physics, SimError};

/// The equation of a control law.
pub trait JointLaw {
    /// Torques of the joints [N·m, N] at positions `q` [rad, m] and velocities `dq` [rad/s, m/s].
    fn torque(
        &self,
        psm: &Psm,
        q: &JointVector,
        dq: &JointVector,
        target: &JointState,
    ) -> JointVector;
}

/// A controller of the PSM whose law has the settings `config`.
#[derive(Debug, Clone)]
pub struct JointControl<L> {
    /// Settings of the law.
    pub config: L,
    arm: PsmArm,
    psm: Psm,
    target: JointState,
}

impl<L> JointControl<L> {
    /// A controller that holds the arm where it is.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene's robot is not a PSM.
    pub fn new(physics: &Physics, config: L) -> Result<Self, SimError> {
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

impl<L: JointLaw> Controller for JointControl<L> {
    type Target = JointState;

    fn reset(&mut self, physics: &Physics) {
        self.target = JointState::at_rest(self.arm.positions(physics));
    }

    fn set_target(&mut self, _physics: &Physics, target: JointState) {
        self.target = target;
    }

    fn control(&mut self, physics: &mut Physics) {
        let (q, dq) = (self.arm.positions(physics), self.arm.velocities(physics));
        let torque = self.config.torque(&self.psm, &q, &dq, &self.target);
        self.arm.apply(physics, &torque);
    }
}

//! One step of the arm with the torques that acted in it.

use insonate_dvrk::JointVector;

use super::PsmArm;
use crate::{Divergence, Physics};

/// Quantities of one physics step, in joint coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsmStep {
    /// Positions at the start [rad, m].
    pub q: JointVector,
    /// Velocities at the start [rad/s, m/s].
    pub dq: JointVector,
    /// Change of velocity over the step, as acceleration [rad/s², m/s²].
    pub ddq: JointVector,
    /// Torques of the motors, without the constant offset of friction [N·m, N].
    pub drive: JointVector,
    /// Torques of friction, joint limits, and contact within MuJoCo [N·m, N].
    pub friction: JointVector,
}

impl PsmStep {
    /// Steps the scene and measures.
    ///
    /// # Errors
    /// As [`Physics::step`].
    pub fn take(arm: &PsmArm, physics: &mut Physics) -> Result<Self, Divergence> {
        let (q, dq) = (arm.positions(physics), arm.velocities(physics));
        physics.step()?;
        let ddq = (arm.velocities(physics) - dq) / physics.timestep();
        // Damping acts implicitly, with the velocity at the end of the step.
        let damping = arm.reduce(physics.data().qfrc_damper());
        let solved = arm.reduce(physics.data().qfrc_constraint());
        Ok(Self {
            q,
            dq,
            ddq,
            drive: arm.reduce(physics.data().qfrc_actuator()),
            friction: damping + solved,
        })
    }

    /// Torque that moves bodies, rotors and spring: the motor torques minus the torques of friction, limits and contact [N·m, N].
    pub fn moving_torque(&self) -> JointVector {
        self.drive + self.friction
    }
}

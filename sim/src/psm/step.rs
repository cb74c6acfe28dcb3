//! One step of the arm with the torques that acted in it.

use insonate_dvrk::JointVector;

use super::PsmArm;
use crate::{Divergence, Physics};

/// What happened in one physics step, in joint coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsmStep {
    /// Positions at its start [rad, m].
    pub q: JointVector,
    /// Velocities at its start [rad/s, m/s].
    pub dq: JointVector,
    /// Accelerations by which velocities changed over the step [rad/s², m/s²].
    pub ddq: JointVector,
    /// Torques of the motors, less the constant offset of friction [N·m, N].
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
        // Damping acts implicitly: with the velocity at the step's end.
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

    /// What moved bodies, rotors and spring: the motors' torques less what friction, limits and contact took [N·m, N].
    pub fn moving_torque(&self) -> JointVector {
        self.drive + self.friction
    }
}

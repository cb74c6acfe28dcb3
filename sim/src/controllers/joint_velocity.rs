//! Joint velocities: $\tau = M(q)\, g\, (\dot q_d - \dot q) + \tau_{bias}$, computed-torque control of the velocities alone.
//!
//! Without contact and damping, every joint approaches its velocity as $e^{-g t}$, independently of the others.

use nalgebra::DVector;

use super::{Controller, JointSpace};
use crate::{Physics, SimError};

/// Gains of [`JointVelocity`].
#[derive(Debug, Clone, PartialEq)]
pub struct JointVelocityConfig {
    /// Acceleration per velocity error, $g$ [1/s]. It must be below 1 / timestep, at which one step corrects the whole error.
    pub gain: f64,
}

impl Default for JointVelocityConfig {
    fn default() -> Self {
        Self { gain: 50.0 }
    }
}

/// Drives every joint at its own velocity; the target is the joint velocities [rad/s or m/s].
#[derive(Debug, Clone)]
pub struct JointVelocity {
    /// Gains.
    pub config: JointVelocityConfig,
    joints: JointSpace,
    target: Vec<f64>,
    desired: Vec<f64>,
}

impl JointVelocity {
    /// A controller that brings the arm to rest.
    ///
    /// # Errors
    /// As [`crate::Arm::new`].
    pub fn new(physics: &Physics, config: JointVelocityConfig) -> Result<Self, SimError> {
        let joints = JointSpace::new(physics)?;
        Ok(Self {
            config,
            target: vec![0.0; joints.len()],
            desired: vec![0.0; joints.len()],
            joints,
        })
    }

    /// Sets the velocities [rad/s or m/s] without taking ownership.
    ///
    /// # Panics
    /// If the number of velocities is not the number of joints.
    pub fn set_velocities(&mut self, velocities: &[f64]) {
        self.target.copy_from_slice(velocities);
    }
}

impl Controller for JointVelocity {
    type Target = DVector<f64>;

    fn reset(&mut self, _physics: &Physics) {
        self.target.fill(0.0);
    }

    fn set_target(&mut self, _physics: &Physics, target: DVector<f64>) {
        self.set_velocities(target.as_slice());
    }

    fn control(&mut self, physics: &mut Physics) {
        self.joints.read(physics);
        let errors = self.target.iter().zip(&self.joints.velocities);
        for (desired, (target, velocity)) in self.desired.iter_mut().zip(errors) {
            *desired = self.config.gain * (target - velocity);
        }
        self.joints.accelerate(&self.desired);
        self.joints.apply(physics);
    }
}

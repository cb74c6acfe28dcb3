//! Joint impedance: $\tau = k (q_d - q) - d \dot q + \tau_{bias}$ with $d_j = 2 \zeta \sqrt{k_j M_{jj}(q)}$.

use nalgebra::DVector;

use super::{Controller, JointSpace};
use crate::{Physics, SimError};

/// Gains of [`JointImpedance`].
#[derive(Debug, Clone, PartialEq)]
pub struct JointImpedanceConfig {
    /// Stiffness of every joint [N·m/rad].
    pub stiffness: f64,
    /// Ratio of the damping to the critical damping of each joint alone.
    pub damping_ratio: f64,
}

impl Default for JointImpedanceConfig {
    fn default() -> Self {
        Self {
            stiffness: 200.0,
            damping_ratio: 1.0,
        }
    }
}

/// A spring and a damper on every joint; the target is the joint positions [rad or m].
#[derive(Debug, Clone)]
pub struct JointImpedance {
    /// Gains.
    pub config: JointImpedanceConfig,
    joints: JointSpace,
    target: Vec<f64>,
}

impl JointImpedance {
    /// A controller that holds the arm where it is.
    ///
    /// # Errors
    /// As [`crate::Arm::new`].
    pub fn new(physics: &Physics, config: JointImpedanceConfig) -> Result<Self, SimError> {
        let joints = JointSpace::new(physics)?;
        Ok(Self {
            config,
            target: joints.positions.clone(),
            joints,
        })
    }

    /// Sets the positions [rad or m] without taking ownership.
    ///
    /// # Panics
    /// If the number of positions is not the number of joints.
    pub fn set_positions(&mut self, positions: &[f64]) {
        self.target.copy_from_slice(positions);
    }
}

impl Controller for JointImpedance {
    type Target = DVector<f64>;

    fn reset(&mut self, physics: &Physics) {
        self.joints.read(physics);
        self.target.copy_from_slice(&self.joints.positions);
    }

    fn set_target(&mut self, _physics: &Physics, target: DVector<f64>) {
        self.set_positions(target.as_slice());
    }

    fn control(&mut self, physics: &mut Physics) {
        let JointImpedanceConfig {
            stiffness,
            damping_ratio,
        } = self.config;
        let joints = &mut self.joints;
        joints.read(physics);
        let n = joints.len();
        for (joint, target) in self.target.iter().enumerate() {
            let damping =
                2.0 * damping_ratio * (stiffness * joints.inertia[joint * n + joint]).sqrt();
            joints.torques[joint] +=
                stiffness * (target - joints.positions[joint]) - damping * joints.velocities[joint];
        }
        joints.apply(physics);
    }
}

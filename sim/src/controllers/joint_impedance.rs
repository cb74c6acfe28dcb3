//! Joint impedance: $\tau = k (q_d - q) - d \dot q + \tau_{bias}$ with $d_j = 2 \zeta \sqrt{k_j M_{jj}(q)}$.

use nalgebra::DVector;

use super::Controller;
use crate::arm::Arm;
use crate::{Physics, SimError};

/// Gains of [`JointImpedance`].
#[derive(Debug, Clone, PartialEq)]
pub struct JointImpedanceConfig {
    /// Stiffness of every joint [N·m/rad].
    pub stiffness: f64,
    /// Damping over the critical damping of each joint alone.
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
    arm: Arm,
    target: DVector<f64>,
}

impl JointImpedance {
    /// A controller that holds the arm where it is.
    ///
    /// # Errors
    /// As [`Arm::new`].
    pub fn new(physics: &Physics, config: JointImpedanceConfig) -> Result<Self, SimError> {
        let arm = Arm::new(physics.model())?;
        let target = arm.positions(physics);
        Ok(Self {
            config,
            arm,
            target,
        })
    }
}

impl Controller for JointImpedance {
    type Target = DVector<f64>;

    fn reset(&mut self, physics: &Physics) {
        self.target = self.arm.positions(physics);
    }

    fn set_target(&mut self, _physics: &Physics, target: DVector<f64>) {
        assert_eq!(target.len(), self.arm.n_joints(), "one target per joint");
        self.target = target;
    }

    fn control(&mut self, physics: &mut Physics) {
        let JointImpedanceConfig {
            stiffness,
            damping_ratio,
        } = self.config;
        let inertia = self.arm.inertia(physics).diagonal();
        let damping = inertia.map(|inertia| 2.0 * damping_ratio * (stiffness * inertia).sqrt());
        let torques = (&self.target - self.arm.positions(physics)) * stiffness
            - damping.component_mul(&self.arm.velocities(physics))
            + self.arm.bias(physics);
        self.arm.apply(physics, &torques);
    }
}

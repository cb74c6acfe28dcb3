//! Cartesian impedance at the tool: $\tau = J^T (K\,\Delta x + D\,\Delta\dot x) + C \dot q + g(q) + \tau_f(\dot q_d)$.
//!
//! The mechanism itself holds the remote centre, so the tool's point is a three-dimensional spring about it. Yaw, pitch and insertion carry
//! the force; roll, wrist and jaws carry the orientation and the opening.

use insonate_dvrk::{JointVector, Psm};
use nalgebra::{Vector3, Vector6};

use super::computed_torque::{frictionless_torque, smooth_friction};
use super::{ComputedTorqueConfig, JointState, PsmArm, model_of};
use crate::controllers::Controller;
use crate::{Physics, SimError};

/// Stiffness and damping of [`ToolImpedance`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolImpedanceConfig {
    /// Stiffness of the tool's point [N/m].
    pub stiffness: f64,
    /// Damping of the tool's point [N·s/m].
    pub damping: f64,
    /// Stiffness of the tool's orientation [N·m/rad].
    pub rotational_stiffness: f64,
    /// Stiffness of the jaws' opening [N·m/rad].
    pub jaw_stiffness: f64,
}

impl Default for ToolImpedanceConfig {
    fn default() -> Self {
        Self {
            stiffness: 600.0,
            damping: 50.0,
            rotational_stiffness: 0.3,
            jaw_stiffness: 0.3,
        }
    }
}

/// Controller that acts as a spring between the tool and its wanted pose.
#[derive(Debug, Clone)]
pub struct ToolImpedance {
    /// Stiffness and damping.
    pub config: ToolImpedanceConfig,
    arm: PsmArm,
    psm: Psm,
    target: JointState,
    friction_width: JointVector,
}

impl ToolImpedance {
    /// A controller that holds the tool where it is.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene's robot is not a PSM.
    pub fn new(physics: &Physics, config: ToolImpedanceConfig) -> Result<Self, SimError> {
        let arm = PsmArm::new(physics.model())?;
        let psm = model_of(physics.model())?;
        let target = JointState::at_rest(arm.positions(physics));
        let friction_width = ComputedTorqueConfig::default().friction_width;
        Ok(Self {
            config,
            arm,
            psm,
            target,
            friction_width,
        })
    }
}

impl Controller for ToolImpedance {
    /// The joints that give the wanted tool pose.
    type Target = JointState;

    fn reset(&mut self, physics: &Physics) {
        self.target = JointState::at_rest(self.arm.positions(physics));
    }

    fn set_target(&mut self, _physics: &Physics, target: JointState) {
        self.target = target;
    }

    fn control(&mut self, physics: &mut Physics) {
        let (q, dq) = (self.arm.positions(physics), self.arm.velocities(physics));
        let (pose, wanted) = (self.psm.tool_pose(&q), self.psm.tool_pose(&self.target.q));
        let jacobian = self.psm.tool_jacobian(&q);
        let twist = jacobian * dq;
        let wanted_twist = self.psm.tool_jacobian(&self.target.q) * self.target.dq;
        // Errors in frame 0: of the point, and of the orientation as a rotation vector.
        let turned = (wanted.rotation * pose.rotation.inverse()).scaled_axis();
        let shift = wanted.translation.vector - pose.translation.vector;
        let rate: Vector3<f64> = (wanted_twist - twist).fixed_rows::<3>(0).into();
        let force = self.config.stiffness * shift + self.config.damping * rate;
        let torque = self.config.rotational_stiffness * turned;
        let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        let mut joint_torque = jacobian.transpose() * wrench;
        let opening = |q: &JointVector| q[6] - q[5];
        let grip = self.config.jaw_stiffness * (opening(&self.target.q) - opening(&q));
        joint_torque[5] -= grip;
        joint_torque[6] += grip;
        joint_torque += frictionless_torque(&self.psm, &q, &dq, &self.target.ddq);
        joint_torque += smooth_friction(&self.psm, &self.target.dq, &self.friction_width);
        self.arm.apply(physics, &joint_torque);
    }
}

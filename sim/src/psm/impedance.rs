//! Cartesian impedance at the tool: $\tau = J^T (K\,\Delta x + D\,\Delta\dot x) + C \dot q + g(q) + \tau_f(\dot q_d)$.
//!
//! The mechanism itself holds the remote centre, so the tool's point is a three-dimensional spring about it. Yaw, pitch and insertion carry
//! the force; roll, wrist and jaws carry the orientation and the opening.

use insonate_dvrk::{JointVector, Psm};
use nalgebra::{Vector3, Vector6};

use super::computed_torque::{frictionless_torque, smooth_friction};
use super::{ComputedTorqueConfig, JointControl, JointLaw, JointState};

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

/// Controller that acts as a spring between the tool and its wanted pose, which the wanted joints give.
pub type ToolImpedance = JointControl<ToolImpedanceConfig>;

impl JointLaw for ToolImpedanceConfig {
    fn torque(
        &self,
        psm: &Psm,
        q: &JointVector,
        dq: &JointVector,
        target: &JointState,
    ) -> JointVector {
        let (pose, wanted) = (psm.tool_pose(q), psm.tool_pose(&target.q));
        let jacobian = psm.tool_jacobian(q);
        let twist = jacobian * dq;
        let wanted_twist = psm.tool_jacobian(&target.q) * target.dq;
        // Errors in frame 0: of the point, and of the orientation as a rotation vector.
        let turned = (wanted.rotation * pose.rotation.inverse()).scaled_axis();
        let shift = wanted.translation.vector - pose.translation.vector;
        let rate: Vector3<f64> = (wanted_twist - twist).fixed_rows::<3>(0).into();
        let force = self.stiffness * shift + self.damping * rate;
        let torque = self.rotational_stiffness * turned;
        let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        let mut joint_torque = jacobian.transpose() * wrench;
        let opening = |q: &JointVector| q[6] - q[5];
        let grip = self.jaw_stiffness * (opening(&target.q) - opening(q));
        joint_torque[5] -= grip;
        joint_torque[6] += grip;
        joint_torque += frictionless_torque(psm, q, dq, &target.ddq);
        let friction_width = ComputedTorqueConfig::default().friction_width;
        joint_torque += smooth_friction(psm, &target.dq, &friction_width);
        joint_torque
    }
}

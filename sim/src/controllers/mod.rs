//! Controllers, one file each: they turn targets into joint torques.
//!
//! Every controller compensates Coriolis torques, the gravity that `gravcomp` does not cancel, and damping that takes a large share of a
//! motor's torque. It clips torques to the motors' ranges.
//! Controllers of the probe hold the arm's posture in the null space of their task.
//! No controller allocates memory when it is called.

mod damped;
mod hybrid;
mod joint_impedance;
mod joint_space;
mod joint_velocity;
mod operational_space;
mod osc_pose;

pub use hybrid::{ContactPhase, HybridConfig, HybridForce, HybridTarget};
pub use joint_impedance::{JointImpedance, JointImpedanceConfig};
pub use joint_space::JointSpace;
pub use joint_velocity::{JointVelocity, JointVelocityConfig};
pub use operational_space::{OperationalSpace, SpatialVector};
pub use osc_pose::{OscPose, OscPoseConfig, OscTarget, StiffnessFrame};

use crate::Physics;

/// Turns a target into joint torques, once per physics step.
pub trait Controller {
    /// Type of the target.
    type Target;

    /// Clears the controller's state and holds the arm where it is.
    fn reset(&mut self, physics: &Physics);

    /// Sets the target.
    fn set_target(&mut self, physics: &Physics, target: Self::Target);

    /// Writes joint torques to `ctrl`; to be called before every [`Physics::step`].
    fn control(&mut self, physics: &mut Physics);
}

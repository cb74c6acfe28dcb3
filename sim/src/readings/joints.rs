//! Joint positions and velocities of the robot.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtJoint};

use super::ROBOT_PREFIX;
use crate::Physics;
use crate::names::{self, JointAddress, ObjectType};

/// The robot's hinge and slide joints, in model order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joints {
    /// Addresses of each joint in `qpos` and `qvel`.
    pub addresses: Vec<JointAddress>,
    /// Full name of each joint.
    pub names: Vec<String>,
}

impl Joints {
    /// The hinges and slides whose name starts with `robot/`.
    pub fn new(model: &MjModel) -> Self {
        let types = model.jnt_type();
        let (addresses, names) = names::all(model, ObjectType::Joint)
            .filter(|(_, name)| name.starts_with(ROBOT_PREFIX))
            .filter(|&(id, _)| matches!(types[id], MjtJoint::mjJNT_HINGE | MjtJoint::mjJNT_SLIDE))
            .map(|(id, name)| (names::joint_address(model, id), name.to_owned()))
            .unzip();
        Self { addresses, names }
    }

    /// Joint positions [rad or m], shape `[n_joints]`.
    pub fn positions<'a>(&'a self, physics: &'a Physics) -> impl Iterator<Item = f64> + 'a {
        self.addresses
            .iter()
            .map(|joint| physics.qpos()[joint.qpos])
    }

    /// Joint velocities [rad/s or m/s], shape `[n_joints]`.
    pub fn velocities<'a>(&'a self, physics: &'a Physics) -> impl Iterator<Item = f64> + 'a {
        self.addresses.iter().map(|joint| physics.qvel()[joint.dof])
    }
}

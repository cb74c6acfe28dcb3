//! A body on a free joint: its pose, velocity and contact with the probe.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtJoint};

use super::ProbeContact;
use super::subtree::{geoms_of, subtree};
use crate::names::{self, JointAddress, ObjectType};
use crate::{Physics, Pose, SimError, Twist};

/// A body on a free joint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeBody {
    joint: JointAddress,
    /// Whether each geom of the model belongs to the body, shape `[ngeom]`.
    is_part: Vec<bool>,
    probe: ProbeContact,
}

impl FreeBody {
    /// Looks up the body with this name.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the body, its free joint or the probe is missing.
    pub fn new(model: &MjModel, name: &str) -> Result<Self, SimError> {
        let body = names::find(model, ObjectType::Body, name)?;
        let first = model.body_jntadr()[body];
        let joint = usize::try_from(first)
            .ok()
            .filter(|&joint| model.jnt_type()[joint] == MjtJoint::mjJNT_FREE)
            .ok_or_else(|| SimError::UnknownName {
                kind: "free joint",
                name: name.to_owned(),
                near: Vec::new(),
            })?;
        Ok(Self {
            joint: names::joint_address(model, joint),
            is_part: geoms_of(model, &subtree(model, body)),
            probe: ProbeContact::new(model)?,
        })
    }

    /// Pose of the body in world.
    pub fn pose(&self, physics: &Physics) -> Pose {
        let at = |i: usize| physics.qpos()[self.joint.qpos + i];
        Pose::from_quat([at(0), at(1), at(2)], [at(3), at(4), at(5), at(6)])
    }

    /// Velocity of the body's origin in world and angular velocity in the body's frame, as MuJoCo stores them.
    pub fn twist(&self, physics: &Physics) -> Twist {
        let at = |i: usize| physics.qvel()[self.joint.dof + i];
        Twist {
            linear: [at(0), at(1), at(2)].into(),
            angular: [at(3), at(4), at(5)].into(),
        }
    }

    /// Sets the body's position [m] and orientation `[w, x, y, z]`, at rest. Call [`Physics::forward`] before reading quantities that depend
    /// on it.
    pub fn place(&self, physics: &mut Physics, position: [f64; 3], quat: [f64; 4]) {
        let start = self.joint.qpos;
        physics.qpos_mut()[start..start + 3].copy_from_slice(&position);
        physics.qpos_mut()[start + 3..start + 7].copy_from_slice(&quat);
        let start = self.joint.dof;
        physics.qvel_mut()[start..start + 6].fill(0.0);
    }

    /// Whether the probe touched the body during the last step.
    pub fn touches_probe(&self, physics: &Physics) -> bool {
        let is_part = |geom: i32| usize::try_from(geom).is_ok_and(|geom| self.is_part[geom]);
        physics.contacts().iter().any(|contact| {
            let [first, second] = contact.geom;
            contact.force_in_contact[0] > 0.0
                && (is_part(first) && self.probe.owns(second)
                    || is_part(second) && self.probe.owns(first))
        })
    }
}

//! The state to draw: a copy of the physics in the model that holds everything to be seen.
//!
//! A fast torso lives beside MuJoCo, so the stepped model does not hold its shell; the picture model does.

use std::sync::Arc;

use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::{MjModel, MjtJoint};

use crate::ffi::Data;
use crate::names::{self, Kind};
use crate::{CompiledScene, Physics, SimError};

/// One joint's numbers in the stepped model and in the picture model.
#[derive(Debug, Clone, Copy)]
struct JointCopy {
    physics: usize,
    picture: usize,
    len: usize,
}

/// A state of the picture model that follows a physics.
#[derive(Debug)]
pub struct PictureState {
    data: Data,
    /// Runs of `qpos` to copy; empty: both models are the same.
    joints: Vec<JointCopy>,
}

impl PictureState {
    /// A state of the scene's picture model.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn new(scene: &CompiledScene) -> Result<Self, SimError> {
        let (physics, picture) = (scene.physics_model(), scene.picture_model());
        let same = Arc::ptr_eq(physics, picture);
        let joints = if same {
            Vec::new()
        } else {
            joint_copies(physics, picture)
        };
        Ok(Self {
            data: new_data(picture)?,
            joints,
        })
    }

    /// A state that follows physics of this very model.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn of_model(model: &Arc<MjModel>) -> Result<Self, SimError> {
        Ok(Self {
            data: new_data(model)?,
            joints: Vec::new(),
        })
    }

    /// Takes over the poses of a physics of the same scene.
    ///
    /// # Panics
    /// If the physics is of another scene.
    pub fn follow(&mut self, physics: &Physics) {
        self.data.set_time(physics.time());
        if self.joints.is_empty() {
            self.data.qpos_mut().copy_from_slice(physics.qpos());
        } else {
            self.copy_joints(physics);
        }
        self.data
            .mocap_pos_mut()
            .copy_from_slice(physics.data().mocap_pos());
        self.data
            .mocap_quat_mut()
            .copy_from_slice(physics.data().mocap_quat());
        // qpos => everything that is drawn
        self.data.kinematics();
        self.data.com_pos();
        self.data.camlight();
        self.data.flex_comp();
        self.data.tendon_comp();
    }

    /// MuJoCo's state of the picture model.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// MuJoCo's state of the picture model, for what draws it.
    pub fn data_mut(&mut self) -> &mut Data {
        &mut self.data
    }

    fn copy_joints(&mut self, physics: &Physics) {
        let mut qpos = self.data.qpos().to_vec();
        let mut qvel = self.data.qvel().to_vec();
        for joint in &self.joints {
            qpos[joint.picture..joint.picture + joint.len]
                .copy_from_slice(&physics.qpos()[joint.physics..joint.physics + joint.len]);
        }
        if let Some(shell) = physics.shell() {
            shell.write_into(&mut qpos, &mut qvel);
        }
        self.data.qpos_mut().copy_from_slice(&qpos);
        self.data.qvel_mut().copy_from_slice(&qvel);
    }
}

fn new_data(model: &Arc<MjModel>) -> Result<Data, SimError> {
    MjData::try_new(Arc::clone(model)).map_err(|_| SimError::Allocation)
}

/// The named joints that both models have.
fn joint_copies(physics: &MjModel, picture: &MjModel) -> Vec<JointCopy> {
    names::all(physics, Kind::Joint)
        .filter_map(|(id, name)| {
            let other = names::try_find(picture, Kind::Joint, name)?;
            Some(JointCopy {
                physics: names::joint_address(physics, id).qpos,
                picture: names::joint_address(picture, other).qpos,
                len: match physics.jnt_type()[id] {
                    MjtJoint::mjJNT_FREE => 7,
                    MjtJoint::mjJNT_BALL => 4,
                    MjtJoint::mjJNT_SLIDE | MjtJoint::mjJNT_HINGE => 1,
                },
            })
        })
        .collect()
}

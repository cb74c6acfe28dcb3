//! The state to draw: a copy of the physics in the model that holds everything to be seen.
//!
//! The stepped model holds nothing that is only to be seen, nor the shell of a fast torso, which lives beside MuJoCo; the picture
//! model does.
//! Where the torso was moved as a whole, all its parts are moved in the picture after MuJoCo's kinematics.

use std::sync::Arc;

use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::{MjModel, MjtJoint};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::ffi::Data;
use crate::names::{self, ObjectType};
use crate::shell::Shell;
use crate::{CompiledScene, Physics, Pose, SimError};

/// One joint's numbers in the stepped model and in the picture model.
#[derive(Debug, Clone, Copy)]
struct JointCopy {
    physics: usize,
    picture: usize,
    len: usize,
}

/// A state of the picture model that follows a physics.
#[derive(Debug)]
pub struct RenderState {
    data: Data,
    /// What a model of its own takes over; none: both models are the same.
    own: Option<OwnModel>,
}

/// What a picture model takes over from another stepped model.
#[derive(Debug)]
struct OwnModel {
    /// Runs of `qpos`.
    joints: Vec<JointCopy>,
    /// Mocap bodies of the same name, in the stepped model and in the picture model.
    mocaps: Vec<[usize; 2]>,
    /// The fast torso's bodies, geoms and sites in the picture model.
    bodies: Vec<usize>,
    geoms: Vec<usize>,
    sites: Vec<usize>,
}

impl RenderState {
    /// A state of the scene's picture model.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn new(scene: &CompiledScene) -> Result<Self, SimError> {
        let (physics, picture) = (scene.physics_model(), scene.visual_model());
        let own = (!Arc::ptr_eq(physics, picture)).then(|| OwnModel::new(scene));
        Ok(Self {
            data: new_data(picture)?,
            own,
        })
    }

    /// A state that follows physics of this very model.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn of_model(model: &Arc<MjModel>) -> Result<Self, SimError> {
        Ok(Self {
            data: new_data(model)?,
            own: None,
        })
    }

    /// Takes over the poses of a physics of the same scene.
    ///
    /// # Panics
    /// If the physics is of another scene.
    pub fn follow(&mut self, physics: &Physics) {
        self.data.set_time(physics.time());
        match &self.own {
            None => {
                self.data.qpos_mut().copy_from_slice(physics.qpos());
                let (from, to) = (physics.data(), &mut self.data);
                to.mocap_pos_mut().copy_from_slice(from.mocap_pos());
                to.mocap_quat_mut().copy_from_slice(from.mocap_quat());
            }
            Some(own) => own.copy(physics, &mut self.data),
        }
        self.place(physics.shell());
    }

    fn place(&mut self, shell: Option<&Shell>) {
        // qpos => everything that is drawn
        self.data.kinematics();
        if let (Some(own), Some(shell)) = (&self.own, shell) {
            own.carry(&shell.frame().0, &mut self.data);
        }
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
}

impl OwnModel {
    fn new(scene: &CompiledScene) -> Self {
        let (physics, picture) = (scene.physics_model(), scene.visual_model());
        let prefix = scene.shell_prefix();
        let is_whole = !scene.is_co_simulated();
        let bodies = prefix.map_or_else(Vec::new, |prefix| {
            names::with_prefix(picture, ObjectType::Body, prefix)
        });
        let on = |carriers: &[i32]| {
            let is_ours = |&(_, body): &(usize, &i32)| bodies.contains(&(*body as usize));
            let ours = carriers.iter().enumerate().filter(is_ours);
            ours.map(|(id, _)| id).collect()
        };
        let named = names::all(physics, ObjectType::Body).filter_map(|(body, name)| {
            let other = names::try_find(picture, ObjectType::Body, name)?;
            let ids = [physics.body_mocapid()[body], picture.body_mocapid()[other]];
            (ids[0] >= 0 && ids[1] >= 0).then(|| ids.map(|id| id as usize))
        });
        Self {
            // With the torso inside both have the same joints and bodies in the same order, with names or without.
            joints: if is_whole {
                vec![JointCopy {
                    physics: 0,
                    picture: 0,
                    len: picture.nq() as usize,
                }]
            } else {
                joint_copies(physics, picture)
            },
            mocaps: if is_whole {
                (0..picture.nmocap() as usize).map(|id| [id; 2]).collect()
            } else {
                named.collect()
            },
            geoms: on(picture.geom_bodyid()),
            sites: on(picture.site_bodyid()),
            bodies,
        }
    }

    /// Joints, the shell and mocap bodies of a physics.
    fn copy(&self, physics: &Physics, data: &mut Data) {
        let qpos = data.qpos_mut();
        for joint in &self.joints {
            qpos[joint.picture..joint.picture + joint.len]
                .copy_from_slice(&physics.qpos()[joint.physics..joint.physics + joint.len]);
        }
        if let Some(torso) = physics.torso() {
            torso.write_into(qpos);
        }
        for &[from, to] in &self.mocaps {
            data.mocap_pos_mut()[to] = physics.data().mocap_pos()[from];
            data.mocap_quat_mut()[to] = physics.data().mocap_quat()[from];
        }
    }

    /// Moves the torso from where it was compiled.
    fn carry(&self, world_from_rest: &Pose, data: &mut Data) {
        if *world_from_rest == Pose::default() {
            return;
        }
        let turn = world_from_rest.rotation.to_rotation_matrix();
        let place = |point: &mut [f64; 3]| {
            *point = world_from_rest.transform(&Vector3::from(*point)).into();
        };
        let turned = |matrix: &mut [f64; 9]| {
            let product = turn * Matrix3::from_row_slice(matrix);
            matrix.copy_from_slice(product.transpose().as_slice());
        };
        for &body in &self.bodies {
            place(&mut data.xpos_mut()[body]);
            place(&mut data.xipos_mut()[body]);
            turned(&mut data.xmat_mut()[body]);
            turned(&mut data.ximat_mut()[body]);
            let quat = &mut data.xquat_mut()[body];
            let [w, x, y, z] = *quat;
            let own = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
            let q = world_from_rest.rotation * own;
            *quat = [q.w, q.i, q.j, q.k];
        }
        for &geom in &self.geoms {
            place(&mut data.geom_xpos_mut()[geom]);
            turned(&mut data.geom_xmat_mut()[geom]);
        }
        for &site in &self.sites {
            place(&mut data.site_xpos_mut()[site]);
            turned(&mut data.site_xmat_mut()[site]);
        }
    }
}

fn new_data(model: &Arc<MjModel>) -> Result<Data, SimError> {
    MjData::try_new(Arc::clone(model)).map_err(|_| SimError::Allocation)
}

/// The named joints that both models have.
fn joint_copies(physics: &MjModel, picture: &MjModel) -> Vec<JointCopy> {
    names::all(physics, ObjectType::Joint)
        .filter_map(|(id, name)| {
            let other = names::try_find(picture, ObjectType::Joint, name)?;
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

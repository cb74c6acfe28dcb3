//! The state to draw: a copy of the physics in the model of the whole scene.
//!
//! The stepped model lacks visual geoms and torsos that are stepped outside MuJoCo.
//! If a `fast` torso was moved as a whole, it is moved here after MuJoCo's kinematics.

use std::sync::Arc;

use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::{MjModel, MjtJoint};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::ffi::Data;
use crate::names::{self, ObjectType};
use crate::shell::Shell;
use crate::{CompiledScene, Physics, Pose, SimError};

/// Addresses of consecutive entries of `qpos` in both models.
#[derive(Debug, Clone, Copy)]
struct JointCopy {
    physics: usize,
    visual: usize,
    len: usize,
}

/// A state of the visual model that follows a physics.
#[derive(Debug)]
pub struct RenderState {
    data: Data,
    /// Mapping from the stepped model; `None` if both models are the same.
    mapping: Option<ModelMapping>,
}

/// Mapping from another stepped model to the visual model.
#[derive(Debug)]
struct ModelMapping {
    /// Runs of entries in `qpos`.
    joints: Vec<JointCopy>,
    /// Mocap bodies of the same name, in the stepped model and in the visual model.
    mocaps: Vec<[usize; 2]>,
    /// The fast torso's bodies, geoms and sites in the visual model.
    bodies: Vec<usize>,
    geoms: Vec<usize>,
    sites: Vec<usize>,
}

impl RenderState {
    /// A state of the scene's visual model.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn new(scene: &CompiledScene) -> Result<Self, SimError> {
        let (physics, visual) = (scene.physics_model(), scene.visual_model());
        let mapping = (!Arc::ptr_eq(physics, visual)).then(|| ModelMapping::new(scene));
        Ok(Self {
            data: new_data(visual)?,
            mapping,
        })
    }

    /// A state that follows physics of exactly this model.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn of_model(model: &Arc<MjModel>) -> Result<Self, SimError> {
        Ok(Self {
            data: new_data(model)?,
            mapping: None,
        })
    }

    /// Copies the poses of a physics of the same scene.
    ///
    /// # Panics
    /// If the physics belongs to another scene.
    pub fn follow(&mut self, physics: &Physics) {
        self.data.set_time(physics.time());
        match &self.mapping {
            None => {
                self.data.qpos_mut().copy_from_slice(physics.qpos());
                let (from, to) = (physics.data(), &mut self.data);
                to.mocap_pos_mut().copy_from_slice(from.mocap_pos());
                to.mocap_quat_mut().copy_from_slice(from.mocap_quat());
            }
            Some(mapping) => mapping.copy(physics, &mut self.data),
        }
        self.place(physics.shell());
    }

    fn place(&mut self, shell: Option<&Shell>) {
        // qpos => everything that is drawn
        self.data.kinematics();
        if let (Some(mapping), Some(shell)) = (&self.mapping, shell) {
            mapping.move_torso(&shell.frame().0, &mut self.data);
        }
        self.data.com_pos();
        self.data.camlight();
        self.data.flex_comp();
        self.data.tendon_comp();
    }

    /// MuJoCo's state of the visual model.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// MuJoCo's state of the visual model, for drawing.
    pub fn data_mut(&mut self) -> &mut Data {
        &mut self.data
    }
}

impl ModelMapping {
    fn new(scene: &CompiledScene) -> Self {
        let (physics, visual) = (scene.physics_model(), scene.visual_model());
        let prefix = scene.shell_prefix();
        let is_whole = !scene.is_co_simulated();
        let bodies = prefix.map_or_else(Vec::new, |prefix| {
            names::with_prefix(visual, ObjectType::Body, prefix)
        });
        let on = |carriers: &[i32]| {
            let is_ours = |&(_, body): &(usize, &i32)| bodies.contains(&(*body as usize));
            let ours = carriers.iter().enumerate().filter(is_ours);
            ours.map(|(id, _)| id).collect()
        };
        let named = names::all(physics, ObjectType::Body).filter_map(|(body, name)| {
            let other = names::try_find(visual, ObjectType::Body, name)?;
            let ids = [physics.body_mocapid()[body], visual.body_mocapid()[other]];
            (ids[0] >= 0 && ids[1] >= 0).then(|| ids.map(|id| id as usize))
        });
        Self {
            // With the torso inside, both models have the same joints and bodies in the same order, named or not.
            joints: if is_whole {
                vec![JointCopy {
                    physics: 0,
                    visual: 0,
                    len: visual.nq() as usize,
                }]
            } else {
                joint_copies(physics, visual)
            },
            mocaps: if is_whole {
                (0..visual.nmocap() as usize).map(|id| [id; 2]).collect()
            } else {
                named.collect()
            },
            geoms: on(visual.geom_bodyid()),
            sites: on(visual.site_bodyid()),
            bodies,
        }
    }

    /// Joints, the shell and mocap bodies of a physics.
    fn copy(&self, physics: &Physics, data: &mut Data) {
        let qpos = data.qpos_mut();
        for joint in &self.joints {
            qpos[joint.visual..joint.visual + joint.len]
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

    /// Moves the torso from its compiled pose.
    fn move_torso(&self, world_from_rest: &Pose, data: &mut Data) {
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
            let before = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
            let q = world_from_rest.rotation * before;
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
fn joint_copies(physics: &MjModel, visual: &MjModel) -> Vec<JointCopy> {
    names::all(physics, ObjectType::Joint)
        .filter_map(|(id, name)| {
            let other = names::try_find(visual, ObjectType::Joint, name)?;
            Some(JointCopy {
                physics: names::joint_address(physics, id).qpos,
                visual: names::joint_address(visual, other).qpos,
                len: match physics.jnt_type()[id] {
                    MjtJoint::mjJNT_FREE => 7,
                    MjtJoint::mjJNT_BALL => 4,
                    MjtJoint::mjJNT_SLIDE | MjtJoint::mjJNT_HINGE => 1,
                },
            })
        })
        .collect()
}

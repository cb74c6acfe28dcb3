//! A compiled scene with a composite shell → the shell's constants.

use std::sync::Arc;

use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::{MjModel, MjtEq, MjtGeomBase, MjtJoint, MjtObjBase};

use super::breath::Breath;
use super::capsules::Capsules;
use super::model::ShellModel;
use super::network::{Network, Spring};
use super::pair::GeomParams;
use super::rows::{EqualityRow, equality_rows};
use super::split::deep_contact_name;
use crate::SimError;

impl ShellModel {
    /// Reads the shell whose names start with `prefix` (such as `torso/`) from a scene compiled with it.
    ///
    /// # Errors
    /// [`SimError::Shell`] if the scene's torso is not a linear shell: joints other than slides, varying impedances, nonlinear couplings, or
    /// a torso that moves as a whole.
    pub fn extract(model: &Arc<MjModel>, prefix: &str) -> Result<Self, SimError> {
        let joints = shell_joints(model, prefix)?;
        let n_capsules = joints.iter().filter(|joint| joint.geom.is_some()).count();
        if n_capsules == 0 {
            return Err(fail("has no capsules on slide joints"));
        }
        let mut data = MjData::try_new(model.clone()).map_err(|_| SimError::Allocation)?;
        for joint in &joints {
            data.qpos_mut()[joint.qpos] = 0.0;
        }
        // A forward pass without the solver, which would factor a dense matrix of all nodes.
        data.step1();
        data.fwd_actuation();
        data.fwd_acceleration();

        let rows = shell_rows(model, &joints, equality_rows(&data))?;
        let mass: Vec<f64> = joints
            .iter()
            .map(|joint| model.body_mass()[joint.body] + model.dof_armature()[joint.dof])
            .collect();
        let springs: Vec<Spring> = joints
            .iter()
            .enumerate()
            .map(|(node, joint)| Spring {
                node,
                stiffness: model.jnt_stiffness()[joint.id],
                rest: model.qpos_spring()[joint.qpos],
            })
            .filter(|spring| spring.stiffness != 0.0)
            .collect();
        let mut force: Vec<f64> = joints
            .iter()
            .map(|joint| data.qfrc_smooth()[joint.dof])
            .collect();
        for spring in &springs {
            force[spring.node] -= spring.stiffness * spring.rest;
        }
        let network = Network::new(&mass, force, springs, &rows, n_capsules)
            .ok_or_else(|| fail("has masses and couplings that cannot be factored"))?;
        if network.varies() && network.ties.driver.is_some() {
            return Err(fail(
                "breathes and has a softness that varies over the skin",
            ));
        }

        let geoms: Vec<usize> = joints.iter().filter_map(|joint| joint.geom).collect();
        let params = GeomParams::of(model, geoms[0]);
        let same = |geom: &usize| {
            let alike = GeomParams {
                inverse_weight: params.inverse_weight,
                ..GeomParams::of(model, *geom)
            };
            alike == params && model.geom_size()[*geom] == model.geom_size()[geoms[0]]
        };
        if !geoms.iter().all(same) {
            return Err(fail(
                "has capsules of different sizes or contact parameters",
            ));
        }
        let centers: Vec<[f64; 3]> = geoms.iter().map(|&geom| data.geom_xpos()[geom]).collect();
        let axis: Vec<[f64; 3]> = joints.iter().map(|joint| data.xaxis()[joint.id]).collect();
        let weight = |joint: &ShellJoint| {
            model.body_mass()[joint.body] * (1.0 - model.body_gravcomp()[joint.body])
        };
        Ok(Self {
            body_names: joints
                .iter()
                .map(|joint| {
                    model
                        .id_to_name(MjtObjBase::mjOBJ_BODY, joint.body)
                        .unwrap_or_default()
                        .to_owned()
                })
                .collect(),
            qpos_address: joints.iter().map(|joint| joint.qpos).collect(),
            dof_address: joints.iter().map(|joint| joint.dof).collect(),
            n_capsules,
            rest: joints.iter().map(|joint| data.xpos()[joint.body]).collect(),
            capsules: Capsules::new(&centers, &axis),
            axis,
            geom_matrix: geoms.iter().map(|&geom| data.geom_xmat()[geom]).collect(),
            capsule: [
                model.geom_size()[geoms[0]][0],
                model.geom_size()[geoms[0]][1],
            ],
            reach: model.geom_rbound()[geoms[0]],
            is_deep_inward: model
                .name_to_id(MjtObjBase::mjOBJ_TEXT, &deep_contact_name(prefix))
                .is_some(),
            params,
            weight: joints[..n_capsules].iter().map(weight).collect(),
            gravity: model.opt().gravity,
            breath: Breath::of(&network, &mass, n_capsules),
            network,
        })
    }
}

struct ShellJoint {
    id: usize,
    body: usize,
    qpos: usize,
    dof: usize,
    /// The capsule; `None` for a breathing oscillator.
    geom: Option<usize>,
}

fn fail(problem: &str) -> SimError {
    SimError::Shell {
        problem: problem.to_owned(),
    }
}

/// The joints of the shell, capsules first.
fn shell_joints(model: &MjModel, prefix: &str) -> Result<Vec<ShellJoint>, SimError> {
    let name = |id: usize| {
        model
            .id_to_name(MjtObjBase::mjOBJ_JOINT, id)
            .unwrap_or_default()
    };
    let mut joints = Vec::new();
    for id in (0..model.ffi().njnt as usize).filter(|&id| name(id).starts_with(prefix)) {
        let body = model.jnt_bodyid()[id] as usize;
        let parent = model.body_parentid()[body] as usize;
        let is_linear =
            model.jnt_type()[id] == MjtJoint::mjJNT_SLIDE && model.body_jntnum()[body] == 1;
        if !is_linear || model.body_weldid()[parent] != 0 {
            return Err(fail(&format!(
                "has a joint {:?} that is not a lone slide on a fixed torso",
                name(id)
            )));
        }
        let dof = model.jnt_dofadr()[id] as usize;
        if model.dof_damping()[dof] != 0.0
            || model.dof_frictionloss()[dof] != 0.0
            || model.jnt_limited()[id]
        {
            return Err(fail(&format!(
                "has a joint {:?} with damping, friction or limits of its own",
                name(id)
            )));
        }
        let first = model.body_geomadr()[body];
        let geom = (first >= 0).then_some(first as usize).filter(|&geom| {
            model.geom_type()[geom] == MjtGeomBase::mjGEOM_CAPSULE
                && (model.geom_contype()[geom] | model.geom_conaffinity()[geom]) != 0
        });
        joints.push(ShellJoint {
            id,
            body,
            qpos: model.jnt_qposadr()[id] as usize,
            dof,
            geom,
        });
    }
    joints.sort_by_key(|joint| joint.geom.is_none());
    Ok(joints)
}

/// The equality rows among the shell's joints, with nodes instead of degrees of freedom.
fn shell_rows(
    model: &MjModel,
    joints: &[ShellJoint],
    rows: Vec<EqualityRow>,
) -> Result<Vec<EqualityRow>, SimError> {
    let mut node_of = vec![None; model.ffi().nv as usize];
    for (node, joint) in joints.iter().enumerate() {
        node_of[joint.dof] = Some(node);
    }
    let mut kept = Vec::with_capacity(rows.len());
    for mut row in rows {
        let nodes: Option<Vec<(usize, f64)>> = row
            .terms
            .iter()
            .map(|&(dof, c)| Some((node_of[dof]?, c)))
            .collect();
        match nodes {
            Some(terms) if !terms.is_empty() => row.terms = terms,
            _ if row.terms.iter().any(|&(dof, _)| node_of[dof].is_some()) => {
                return Err(fail("is tied to joints outside of it by an equality"));
            }
            _ => continue,
        }
        let (impedance, polynomial) = (
            model.eq_solimp()[row.equality],
            model.eq_data()[row.equality],
        );
        let is_joint_or_tendon = matches!(
            model.eq_type()[row.equality],
            MjtEq::mjEQ_JOINT | MjtEq::mjEQ_TENDON
        );
        if !is_joint_or_tendon
            || impedance[0] != impedance[1]
            || polynomial[2..5].iter().any(|&c| c != 0.0)
        {
            return Err(fail(
                "has an equality whose impedance varies or whose polynomial is curved",
            ));
        }
        kept.push(row);
    }
    Ok(kept)
}

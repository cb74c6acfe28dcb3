//! A torso that is stepped outside MuJoCo: the shell of a `fast` torso, or tissue.

use std::sync::Arc;

use insonate_models::mjcf::Mjcf;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::SimError;
use crate::coupling::{Coupling, TissueModel, tissue_torso, without_tissue};
use crate::divergence::DivergenceReason;
use crate::ffi::{Contact, Data};
use crate::shell::{Shell, ShellModel, fast_torso, without_shell};

/// The constants of a torso that is stepped outside MuJoCo.
#[derive(Debug, Clone)]
pub(crate) enum TorsoModel {
    /// The shell of a `fast` torso, and the prefix of its names, such as `torso/`.
    Shell(Arc<ShellModel>, String),
    /// Tissue.
    Tissue(Arc<TissueModel>),
}

impl TorsoModel {
    /// The torso of a scene and the rest of the scene; `None` if MuJoCo steps the whole scene. `model` is the compiled whole scene.
    pub(crate) fn extract(
        scene: &Mjcf,
        model: &Arc<MjModel>,
    ) -> Result<Option<(Self, Mjcf)>, SimError> {
        if let Some((solver, prefix)) = tissue_torso(scene) {
            let tissue = TissueModel::extract(model, solver, &prefix)?;
            let rest = without_tissue(scene, &prefix, &tissue);
            return Ok(Some((Self::Tissue(Arc::new(tissue)), rest)));
        }
        let Some(prefix) = fast_torso(scene) else {
            return Ok(None);
        };
        let shell = ShellModel::extract(model, &prefix)?;
        let rest = without_shell(scene, &prefix, &shell);
        Ok(Some((Self::Shell(Arc::new(shell), prefix), rest)))
    }

    /// The torso at rest, for a state of `model`, the scene without the torso.
    pub(crate) fn at_rest(&self, model: &MjModel) -> Result<CoSimulatedTorso, SimError> {
        Ok(match self {
            Self::Shell(shell, prefix) => {
                CoSimulatedTorso::Shell(Box::new(Shell::new(shell.clone(), model, prefix)?))
            }
            Self::Tissue(tissue) => {
                CoSimulatedTorso::Tissue(Box::new(Coupling::new(tissue.clone(), model)?))
            }
        })
    }
}

/// The state of a torso that is stepped outside MuJoCo.
#[derive(Debug)]
pub(crate) enum CoSimulatedTorso {
    Shell(Box<Shell>),
    Tissue(Box<Coupling>),
}

impl CoSimulatedTorso {
    /// Announces the next step, after `mj_step1`: see [`Physics::announce_step`](crate::Physics::announce_step).
    pub(crate) fn announce_step(&mut self, data: &Data) {
        match self {
            Self::Shell(_) => {}
            Self::Tissue(tissue) => tissue.announce_step(data),
        }
    }

    /// First half of a step, between `mj_step1` and `mj_step2`: adds the contact forces to `xfrc_applied`.
    pub(crate) fn begin_step(&mut self, data: &mut Data) {
        match self {
            Self::Shell(shell) => shell.begin_step(data),
            Self::Tissue(tissue) => tissue.begin_step(data),
        }
    }

    /// Second half, after `mj_step2`: restores `xfrc_applied`.
    pub(crate) fn end_step(&mut self, data: &mut Data) {
        match self {
            Self::Shell(shell) => shell.end_step(data),
            Self::Tissue(tissue) => tissue.end_step(data),
        }
    }

    pub(crate) fn reset(&mut self) {
        match self {
            Self::Shell(shell) => shell.reset(),
            Self::Tissue(tissue) => tissue.reset(),
        }
    }

    /// Contacts of the last step.
    pub(crate) fn contacts(&self) -> &[Contact] {
        match self {
            Self::Shell(shell) => shell.contacts(),
            Self::Tissue(tissue) => tissue.contacts(),
        }
    }

    pub(crate) fn divergence(&self) -> Option<DivergenceReason> {
        match self {
            Self::Shell(shell) => (!shell.is_finite()).then_some(DivergenceReason::Shell),
            Self::Tissue(tissue) => tissue.divergence().map(DivergenceReason::Tissue),
        }
    }

    /// Positions of the torso's points in world [m], shape `[n_points, 3]`.
    pub(crate) fn positions(&self) -> Vec<[f64; 3]> {
        match self {
            Self::Shell(shell) => shell.positions().collect(),
            Self::Tissue(tissue) => tissue.positions(),
        }
    }

    /// Velocities of the torso's points in world [m/s], shape `[n_points, 3]`.
    pub(crate) fn velocities(&self) -> Vec<[f64; 3]> {
        match self {
            Self::Shell(shell) => shell.velocities().collect(),
            Self::Tissue(tissue) => tissue.velocities(),
        }
    }

    /// Copies the state into `qpos` of the scene compiled with the torso.
    pub(crate) fn write_into(&self, qpos: &mut [f64]) {
        match self {
            Self::Shell(shell) => shell.write_into(qpos),
            Self::Tissue(tissue) => tissue.write_into(qpos),
        }
    }
}

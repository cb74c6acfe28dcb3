//! A scene ready to run: compiled, and its torso taken out of MuJoCo where it asks for that.

use std::sync::Arc;

use insonate_models::mjcf::Mjcf;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::co_simulation::{CoSimulatedTorso, TorsoModel};
use crate::{SimError, compile};

/// The constant part of a running scene, shared by all its states.
#[derive(Debug, Clone)]
pub struct CompiledScene {
    physics: Arc<MjModel>,
    visual: Arc<MjModel>,
    torso: Option<TorsoModel>,
}

impl CompiledScene {
    /// Compiles a scene.
    ///
    /// # Errors
    /// [`SimError::Mjcf`] for an invalid document, [`SimError::Compile`] where MuJoCo refuses it, [`SimError::Shell`] and
    /// [`SimError::Solid`] for a torso that its solver cannot step.
    pub fn compile(scene: &Mjcf) -> Result<Self, SimError> {
        let visual = compile(&scene.to_xml()?)?;
        let (torso, rest) = match TorsoModel::extract(scene, &visual)? {
            Some((torso, rest)) => (Some(torso), rest),
            // Soft bodies of MuJoCo's own are drawn from what is stepped.
            None if visual.nflex() > 0 || visual.nskin() > 0 => {
                return Ok(Self {
                    physics: visual.clone(),
                    visual,
                    torso: None,
                });
            }
            None => (None, scene.clone()),
        };
        Ok(Self {
            physics: compile(&without_visual_geoms(rest).to_xml()?)?,
            visual,
            torso,
        })
    }

    /// The model that MuJoCo steps: without visual geoms and without a torso that steps beside it.
    pub fn physics_model(&self) -> &Arc<MjModel> {
        &self.physics
    }

    /// The whole scene, to be drawn.
    pub fn visual_model(&self) -> &Arc<MjModel> {
        &self.visual
    }

    /// Whether a torso steps beside MuJoCo.
    pub(crate) fn is_co_simulated(&self) -> bool {
        self.torso.is_some()
    }

    /// Prefix of the names of a `fast` torso, such as `torso/`.
    pub(crate) fn shell_prefix(&self) -> Option<&str> {
        match self.torso.as_ref()? {
            TorsoModel::Shell(_, prefix) => Some(prefix),
            TorsoModel::Tissue(_) => None,
        }
    }

    /// The torso that steps beside MuJoCo, at rest.
    pub(crate) fn torso_at_rest(&self) -> Result<Option<CoSimulatedTorso>, SimError> {
        let torso = self.torso.as_ref();
        torso.map(|torso| torso.at_rest(&self.physics)).transpose()
    }
}

/// The scene without geoms that touch nothing, of the same dynamics: MuJoCo updates the pose of every geom in every step.
fn without_visual_geoms(mut scene: Mjcf) -> Mjcf {
    scene.compiler().set("discardvisual", true);
    scene
}

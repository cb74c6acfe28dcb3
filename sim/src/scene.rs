//! A compiled scene. A torso with its own solver is taken out of MuJoCo.

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
    /// [`SimError::Mjcf`] for an invalid document, [`SimError::Compile`] if MuJoCo rejects it, [`SimError::Shell`] and
    /// [`SimError::Solid`] if the torso's solver cannot step it.
    pub fn compile(scene: &Mjcf) -> Result<Self, SimError> {
        let visual = compile(&scene.to_xml()?)?;
        let (torso, rest) = match TorsoModel::extract(scene, &visual)? {
            Some((torso, rest)) => (Some(torso), rest),
            // Soft bodies that MuJoCo steps are drawn from the stepped model.
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

    /// The model that MuJoCo steps: without visual geoms and without a torso that is stepped outside MuJoCo.
    pub fn physics_model(&self) -> &Arc<MjModel> {
        &self.physics
    }

    /// The whole scene, for drawing.
    pub fn visual_model(&self) -> &Arc<MjModel> {
        &self.visual
    }

    /// Whether a torso is stepped outside MuJoCo.
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

    /// The torso that is stepped outside MuJoCo, at rest.
    pub(crate) fn torso_at_rest(&self) -> Result<Option<CoSimulatedTorso>, SimError> {
        let torso = self.torso.as_ref();
        torso.map(|torso| torso.at_rest(&self.physics)).transpose()
    }
}

/// The scene without geoms that touch nothing. The dynamics stay the same, and MuJoCo has fewer geom poses to update in every step.
fn without_visual_geoms(mut scene: Mjcf) -> Mjcf {
    scene.compiler().set("discardvisual", true);
    scene
}

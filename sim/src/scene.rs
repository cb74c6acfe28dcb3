//! A scene ready to run: compiled, and its torso taken out of MuJoCo where it asks for that.

use std::sync::Arc;

use insonate_models::mjcf::Mjcf;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::coupling::{Coupling, TissueModel, tissue_torso, without_tissue};
use crate::picture::PictureState;
use crate::shell::{Shell, ShellModel, fast_torso, without_shell};
use crate::{SimError, compile};

/// The constant part of a running scene, shared by all its states.
#[derive(Debug, Clone)]
pub struct CompiledScene {
    physics: Arc<MjModel>,
    picture: Arc<MjModel>,
    shell: Option<FastTorso>,
    tissue: Option<Arc<TissueModel>>,
}

#[derive(Debug, Clone)]
struct FastTorso {
    model: Arc<ShellModel>,
    /// What the names of its parts start with, such as `torso/`.
    prefix: String,
}

impl CompiledScene {
    /// Compiles a scene.
    ///
    /// # Errors
    /// [`SimError::Mjcf`] for an invalid document, [`SimError::Compile`] where MuJoCo refuses it, [`SimError::Shell`] where the fast
    /// torso cannot be had.
    pub fn compile(scene: &Mjcf) -> Result<Self, SimError> {
        let picture = compile(&scene.to_xml()?)?;
        if let Some((solver, prefix)) = tissue_torso(scene) {
            let mut at_rest = PictureState::of_model(&picture)?;
            at_rest.refresh();
            let tissue = TissueModel::extract(at_rest.data(), solver, &prefix)?;
            let rest = without_tissue(scene, &prefix, &tissue);
            return Ok(Self {
                physics: compile(&without_looks(rest).to_xml()?)?,
                picture,
                shell: None,
                tissue: Some(Arc::new(tissue)),
            });
        }
        let Some(prefix) = fast_torso(scene) else {
            // Soft bodies of MuJoCo's own are drawn from what they are stepped by.
            let is_soft = picture.nflex() > 0 || picture.nskin() > 0;
            let physics = if is_soft {
                picture.clone()
            } else {
                compile(&without_looks(scene.clone()).to_xml()?)?
            };
            return Ok(Self {
                physics,
                picture,
                shell: None,
                tissue: None,
            });
        };
        let shell = Arc::new(ShellModel::extract(&picture, &prefix)?);
        let rest = without_shell(scene, &prefix, &shell);
        let physics = compile(&without_looks(rest).to_xml()?)?;
        Ok(Self {
            physics,
            picture,
            shell: Some(FastTorso {
                model: shell,
                prefix,
            }),
            tissue: None,
        })
    }

    /// The model that MuJoCo steps: without the shell of a fast torso, and without what is only to be seen.
    pub fn physics_model(&self) -> &Arc<MjModel> {
        &self.physics
    }

    /// The model with everything to be seen.
    pub fn picture_model(&self) -> &Arc<MjModel> {
        &self.picture
    }

    /// The shell of a fast torso.
    pub fn shell_model(&self) -> Option<&Arc<ShellModel>> {
        self.shell.as_ref().map(|shell| &shell.model)
    }

    /// What the names of a fast torso's parts start with, such as `torso/`.
    pub(crate) fn shell_prefix(&self) -> Option<&str> {
        self.shell.as_ref().map(|shell| shell.prefix.as_str())
    }

    /// The solid of a torso that a tissue solver steps.
    pub fn tissue_model(&self) -> Option<&Arc<TissueModel>> {
        self.tissue.as_ref()
    }

    /// Tissue at rest, where a solver of the project's own steps the torso.
    pub(crate) fn new_coupling(&self) -> Result<Option<Coupling>, SimError> {
        self.tissue
            .as_ref()
            .map(|tissue| Coupling::new(tissue.clone(), &self.physics))
            .transpose()
    }

    /// A shell at rest, where the torso is a fast one.
    pub(crate) fn new_shell(&self) -> Result<Option<Shell>, SimError> {
        self.shell
            .as_ref()
            .map(|shell| Shell::new(shell.model.clone(), &self.physics, &shell.prefix))
            .transpose()
    }
}

/// The scene without geoms that touch nothing, of the same dynamics: MuJoCo moves every geom in every step.
fn without_looks(mut scene: Mjcf) -> Mjcf {
    scene.compiler().set("discardvisual", true);
    scene
}

//! Constant parts of a scene: its description, the compiled scene, and the map of its skin.

use std::sync::{Arc, OnceLock};

use insonate_meshes::SurfaceTree;
use insonate_models::mjcf::Mjcf;
use insonate_models::torsos::{self, Breathing, Softness, TorsoConfig};
use insonate_models::{Scene, SceneConfig};
use insonate_sim::CompiledScene;
use insonate_sim::placement::{HeightMap, Skin};

use super::SceneSettings;
use crate::EnvError;

/// A torso's configuration and its softness at the probe.
#[derive(Debug, Clone)]
pub struct NominalTorso {
    /// The configuration.
    pub config: TorsoConfig,
    /// Stiffness [N/m] and damping [N·s/m] at the probe.
    pub softness: Softness,
    /// Ranges of both, from a calibration file.
    pub ranges: Option<[[f64; 2]; 2]>,
}

/// A compiled scene that many environments can share.
#[derive(Debug)]
pub struct SceneModel {
    /// Description.
    pub scene: Scene,
    /// Compiled scene.
    pub compiled: CompiledScene,
    /// Skin surface on which a probe can be placed.
    pub skin: Skin,
    /// Search tree of the torso's surface, built on first use.
    pub(super) skin_tree: OnceLock<Option<SurfaceTree>>,
}

impl SceneModel {
    /// Describes and compiles a scene. `torso` is the torso's configuration, `None` for a scene without one.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for robot, probe or torso; errors of description and compilation.
    pub fn new(
        settings: &SceneSettings,
        torso: Option<&TorsoConfig>,
    ) -> Result<Arc<Self>, EnvError> {
        Self::at(&settings.config()?, torso, [0.0; 3])
    }

    /// As [`SceneModel::new`], with the torso moved from its default position by `shift` [m].
    ///
    /// # Errors
    /// Those of [`SceneModel::new`].
    pub fn at(
        config: &SceneConfig,
        torso: Option<&TorsoConfig>,
        shift: [f64; 3],
    ) -> Result<Arc<Self>, EnvError> {
        let mut scene = config.scene_with(torso).map_err(EnvError::of_name)?;
        for (coordinate, shift) in scene.torso_position.iter_mut().zip(shift) {
            *coordinate += shift;
        }
        let skin = HeightMap::of_torso(&scene).ok_or_else(|| EnvError::Config {
            field: "scene.torso".to_owned(),
            problem: "the task needs a torso".to_owned(),
        })?;
        let document = scene.to_mjcf()?;
        Self::of(scene, &document, Skin::Torso(skin))
    }

    /// Creates a scene from a document that was changed after it was described.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if MuJoCo rejects it.
    pub fn of(scene: Scene, document: &Mjcf, skin: Skin) -> Result<Arc<Self>, EnvError> {
        let compiled = CompiledScene::compile(document)?;
        Ok(Arc::new(Self {
            scene,
            compiled,
            skin,
            skin_tree: OnceLock::new(),
        }))
    }
}

/// Builds the scene of the settings with a torso; `None`: without one.
///
/// # Errors
/// Those of [`SceneSettings::config`]; [`EnvError::Model`].
pub fn build_scene(
    settings: &SceneSettings,
    torso: Option<&TorsoConfig>,
) -> Result<Scene, EnvError> {
    let scene = settings.config()?.scene_with(torso);
    scene.map_err(EnvError::of_name)
}

/// The nominal configuration with another softness: its constraints are scaled by the ratio of the softnesses.
pub fn scale_softness(nominal: &NominalTorso, softness: &Softness, timestep: f64) -> TorsoConfig {
    let stiffer = softness.stiffness / nominal.softness.stiffness;
    let heavier = softness.damping / nominal.softness.damping;
    let most_damping = 1.0 / timestep;
    let scale = |solref: torsos::Solref| torsos::Solref {
        stiffness: (solref.stiffness * stiffer)
            .clamp(torsos::Solref::STIFFNESS[0], torsos::Solref::STIFFNESS[1]),
        damping: (solref.damping * heavier).clamp(
            torsos::Solref::DAMPING[0],
            torsos::Solref::DAMPING[1].min(most_damping),
        ),
    };
    TorsoConfig {
        softness: Softness {
            stiffness: nominal.config.softness.stiffness * stiffer,
            damping: nominal.config.softness.damping * heavier,
        },
        rest: nominal.config.rest.map(scale),
        neighbors: nominal.config.neighbors.map(scale),
        contact: nominal.config.contact.map(scale),
        ..nominal.config.clone()
    }
}

/// The configuration with another torso size and breathing.
pub fn resize_torso(config: &TorsoConfig, size: f64, breathing: Option<Breathing>) -> TorsoConfig {
    TorsoConfig {
        breathing,
        ..config.resized(size)
    }
}

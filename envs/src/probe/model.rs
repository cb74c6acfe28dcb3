//! Constant parts of a scene: its description, the compiled scene, and the map of its skin.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use insonate_calibration::softness::SoftnessFile;
use insonate_meshes::SurfaceTree;
use insonate_models::mjcf::Mjcf;
use insonate_models::patients::Physique;
use insonate_models::torsos::{self, Breathing, Shape, Softness, TorsoConfig};
use insonate_models::{ModelError, Scene, probes, robots};
use insonate_sim::CompiledScene;
use insonate_sim::placement::{HeightMap, Skin};
use serde::{Deserialize, Serialize};

use super::TissueSettings;
use crate::EnvError;
use crate::settings::check_range;

/// Contents of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSettings {
    /// Robot arm, such as `panda` or `ur5e`.
    pub robot: String,
    /// Ultrasound probe, such as `c5-2`.
    pub probe: String,
    /// Soft torso: `fast`, `composite` or `flex`. `none` if the task needs no torso.
    pub torso: String,
    /// Shape of the torso: `cylinder`, `box`, `ellipsoid`, `human`, or `adult`, a whole patient.
    pub shape: String,
    /// Lattice of a `fast` torso. `probe`: fine enough that no probe falls through. `thesis`: 35 mm, faster and coarser; stiffness and
    /// damping are `solref` of MuJoCo's constraints (Jakobsen 2021).
    #[serde(default = "probe_lattice")]
    pub lattice: String,
    /// Resolution of an `mpm` or `xpbd` torso.
    #[serde(default)]
    pub tissue: TissueSettings,
    /// Patient of the shape `adult`.
    #[serde(default)]
    pub patient: Physique,
    /// Calibration file of `insonate calibrate`. Its entry for this torso gives the constraints and the ranges of stiffness and damping.
    /// Empty: no file.
    pub softness: String,
    /// Physics timestep [s].
    pub physics_timestep: f64,
}

impl Default for SceneSettings {
    fn default() -> Self {
        Self {
            robot: "panda".to_owned(),
            probe: "c5-2".to_owned(),
            torso: "fast".to_owned(),
            shape: "cylinder".to_owned(),
            lattice: probe_lattice(),
            tissue: TissueSettings::default(),
            patient: Physique::default(),
            softness: String::new(),
            physics_timestep: 0.002,
        }
    }
}

fn probe_lattice() -> String {
    "probe".to_owned()
}

impl SceneSettings {
    /// Configuration of a torso with the lattice and default softness.
    fn lattice(&self, shape: Shape) -> Result<TorsoConfig, EnvError> {
        self.patient.check()?;
        let thickness = find("probe", &self.probe, probes::ALL)?.thickness;
        let usual = |kind: &str| TorsoConfig::usual(kind, shape, Some(self.patient), thickness);
        match self.lattice.as_str() {
            "thesis" if self.torso == "fast" => Ok(usual("composite")),
            "probe" | "thesis" => Ok(usual(&self.torso)),
            other => Err(EnvError::unknown("lattice", other, &["probe", "thesis"])),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("scene.physics_timestep", self.physics_timestep, 1e-4, 0.005)?;
        self.tissue.check()
    }

    /// The torso's nominal configuration and its softness at the probe. Other softnesses are scaled from it.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for the shape; [`EnvError::Config`] for the calibration file.
    pub fn nominal(&self) -> Result<NominalTorso, EnvError> {
        let shape = Shape::ALL.iter().find(|(name, _)| *name == self.shape);
        let (_, shape) = shape.ok_or_else(|| {
            let known: Vec<&str> = Shape::ALL.iter().map(|(name, _)| *name).collect();
            EnvError::unknown("shape", &self.shape, &known)
        })?;
        let mut config = self.lattice(*shape)?;
        if matches!(self.torso.as_str(), "mpm" | "xpbd") {
            config = self.tissue.applied_to(config);
        }
        let mut nominal = NominalTorso {
            softness: config.softness,
            ranges: None,
            config: config.clone(),
        };
        let file = match self.softness.as_str() {
            "" => None,
            path => Some(read_softness(path)?),
        };
        if let Some(file) = &file {
            let range = |name: &str| file.pooled.get(name).and_then(|entry| entry.randomisation);
            nominal.ranges = range("stiffness")
                .zip(range("damping"))
                .map(|(k, c)| [k, c]);
            if let Some([stiffness, damping]) = file.stiffness_and_damping() {
                nominal.softness = Softness { stiffness, damping };
            }
        }
        config.softness = nominal.softness;
        let entry = file.as_ref().and_then(|file| file.scene.get(&self.torso));
        if let Some(entry) = entry {
            nominal.softness = Softness {
                stiffness: entry.stiffness,
                damping: entry.damping,
            };
            config.softness = nominal.softness;
            if let (Some(count), Some(spacing)) = (entry.count, entry.spacing)
                && config.patient.is_none()
            {
                (config.count, config.spacing) = (count, spacing);
                config.soft_layers = entry.soft_layers;
            }
            config.apply(&entry.parameters)?;
        }
        if config.soft_layers.is_some() {
            config = config.matching(self.physics_timestep);
        }
        nominal.config = config;
        Ok(nominal)
    }
}

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

fn read_softness(path: &str) -> Result<SoftnessFile, EnvError> {
    SoftnessFile::read(Path::new(path)).map_err(|error| EnvError::Config {
        field: "scene.softness".to_owned(),
        problem: error.to_string(),
    })
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
        Self::at(settings, torso, [0.0; 3])
    }

    /// As [`SceneModel::new`], with the torso moved from its default position by `shift` [m].
    ///
    /// # Errors
    /// Those of [`SceneModel::new`].
    pub fn at(
        settings: &SceneSettings,
        torso: Option<&TorsoConfig>,
        shift: [f64; 3],
    ) -> Result<Arc<Self>, EnvError> {
        let mut scene = build_scene(settings, torso)?;
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

/// Builds the scene of the settings.
///
/// # Errors
/// [`EnvError::Unknown`] for robot, probe or torso; [`EnvError::Model`].
pub fn build_scene(
    settings: &SceneSettings,
    torso: Option<&TorsoConfig>,
) -> Result<Scene, EnvError> {
    let robot = find("robot", &settings.robot, robots::ALL)?;
    if robot.flange.is_none() {
        return Err(EnvError::Config {
            field: "scene.robot".to_owned(),
            problem: format!(
                "{} holds an instrument and cannot hold a probe: choose another robot",
                robot.name
            ),
        });
    }
    let probe = find("probe", &settings.probe, probes::ALL)?;
    let torso = torso
        .map(|config| -> Result<_, EnvError> {
            let kind = torsos::by_name(&settings.torso).map_err(unknown)?;
            Ok((kind.build)(config)?)
        })
        .transpose()?;
    let mut scene = Scene::new(robot, probe, torso);
    scene.timestep = settings.physics_timestep;
    Ok(scene)
}

/// Names and constructors.
type Registry<T> = [(&'static str, fn() -> T)];

fn find<T>(kind: &'static str, name: &str, all: &Registry<T>) -> Result<T, EnvError> {
    let known: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
    all.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
        .ok_or_else(|| EnvError::unknown(kind, name, &known))
}

/// Checks that the kind of torso is known.
pub(super) fn known_torso(name: &str) -> Result<(), EnvError> {
    torsos::by_name(name).map(|_| ()).map_err(unknown)
}

fn unknown(error: ModelError) -> EnvError {
    match error {
        ModelError::Unknown { kind, name, .. } => {
            let known: Vec<&str> = torsos::ALL.iter().map(|kind| kind.name).collect();
            EnvError::unknown(kind, &name, &known)
        }
        other => other.into(),
    }
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

//! Settings of a scene, by name: the one way from names and numbers to a [`Scene`].
//!
//! The command line, the settings of learning tasks, the Python package and the examples all fill a [`SceneConfig`], so equal settings give
//! equal scenes. Files are read by the caller: a robot file comes as a [`Robot`], a calibration as a [`TunedTorso`].

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::patients::{BodyShape, Physique};
use crate::probes::{self, Probe};
use crate::robots::{self, Robot};
use crate::torsos::{
    self, Breathing, Device, Shape, Softness, SoftnessField, TorsoConfig, TorsoKind, materials,
};
use crate::{ModelError, Scene};

/// Settings of a scene. The default is the Panda with the C5-2 probe over a `fast` torso.
#[derive(Clone, Debug)]
pub struct SceneConfig {
    /// The robot arm.
    pub robot: RobotChoice,
    /// Name of the probe in [`probes::ALL`].
    pub probe: String,
    /// Name of the kind of torso in [`torsos::ALL`], or [`torsos::NONE`].
    pub torso: String,
    /// Shape of the torso.
    pub shape: Shape,
    /// Patient of the shape `adult`; `None`: the reference man. Other shapes do not use it.
    pub patient: Option<Physique>,
    /// Trunk of a made patient, for the shape `adult`; `None`: the trunk of `patient`.
    pub body: Option<Arc<BodyShape>>,
    /// Factor of the softness over the skin; `None`: the same everywhere. A kind that has one softness does not take it.
    pub field: Option<SoftnessField>,
    /// Lattice of the torso.
    pub lattice: Lattice,
    /// Softness of the torso.
    pub softness: SoftnessChoice,
    /// Breathing; `None`: the torso does not breathe.
    pub breathing: Option<Breathing>,
    /// Distance from the probe within which a torso of a tissue solver moves [m]; `None`: the default of the kind; infinite: all of it moves.
    pub active_radius: Option<f64>,
    /// Upper limit of the substep of a tissue solver [s]; `None`: the default of the kind.
    pub substep: Option<f64>,
    /// What steps the torso. Only the kinds of [`torsos::on_gpu`] can be stepped by a GPU, and all of such a torso moves.
    pub device: Device,
    /// Length of a physics step [s].
    pub timestep: f64,
    /// Position of the robot's base in the world [m]; `None`: on the pedestal.
    pub robot_position: Option<[f64; 3]>,
}

/// A robot by its name or as a value.
#[derive(Clone, Debug)]
pub enum RobotChoice {
    /// Name in [`robots::ALL`].
    Named(String),
    /// A robot that the caller made or read from a file.
    Loaded(Box<Robot>),
}

/// Points of the torso's lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Lattice {
    /// Default of the kind and shape; kinds with [`TorsoKind::follows_probe`] match it to the probe.
    #[default]
    Default,
    /// Default of the shape, not matched to the probe.
    Unfitted,
    /// Matched to the probe, with a soft front ([`TorsoConfig::fitted_to_probe`]). Shells only.
    Probe,
    /// The lattice of the thesis: 9 × 4 × 11 points at 35 mm (Jakobsen 2021). Not for an adult.
    Thesis,
    /// Number of points along each axis and their distance [m]; `None`: that of [`Lattice::Unfitted`]. The size of the torso follows, except
    /// for an adult, over whom the points are spread.
    Points {
        /// Points across, through and along the patient.
        count: Option<[usize; 3]>,
        /// Distance between neighbouring points [m].
        spacing: Option<f64>,
    },
    /// The size of [`Lattice::Default`] with points at this distance [m] or less.
    MaxSpacing(f64),
}

/// Softness of a torso, given in one of three ways.
#[derive(Clone, Debug, PartialEq)]
pub enum SoftnessChoice {
    /// Stiffness and damping.
    Values(Softness),
    /// Name of a material in [`materials::ALL`].
    Material(String),
    /// Result of a calibration.
    Tuned(TunedTorso),
}

/// Softness and constraints of a torso that was tuned to recorded presses. The lattice is the one that was tuned, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TunedTorso {
    /// Softness to give the torso.
    pub softness: Softness,
    /// Numbers of the constraints by name, for [`TorsoConfig::apply`].
    pub parameters: BTreeMap<String, f64>,
    /// Name of the shape.
    pub shape: Option<String>,
    /// Points across, through and along the patient.
    pub count: Option<[usize; 3]>,
    /// Distance between neighbouring points [m].
    pub spacing: Option<f64>,
    /// Soft layers of a shell; `None`: all.
    pub soft_layers: Option<usize>,
    /// Whether the scene takes this lattice in place of [`SceneConfig::lattice`], if the shape is the same and there is no patient.
    pub gives_lattice: bool,
}

impl TunedTorso {
    /// A note if a configuration has another shape or lattice than the tuned torso, so that its softness differs.
    pub fn difference(&self, config: &TorsoConfig) -> Option<String> {
        let shape = self.shape.as_deref().unwrap_or(config.shape.name());
        let [x, y, z] = self.count.unwrap_or(config.count);
        let spacing = self.spacing.unwrap_or(config.spacing);
        let is_same =
            shape == config.shape.name() && [x, y, z] == config.count && spacing == config.spacing;
        (!is_same).then(|| {
            format!(
                "it was tuned for shape {shape}, count {x},{y},{z}, spacing {spacing}; for another one the softness differs"
            )
        })
    }

    /// Sets softness and constraints of a configuration, and its lattice.
    fn apply(&self, config: &mut TorsoConfig) -> Result<(), ModelError> {
        config.softness = self.softness;
        if let (true, Some(shape), Some(count), Some(spacing)) =
            (self.gives_lattice, &self.shape, self.count, self.spacing)
            && shape == config.shape.name()
            && config.patient.is_none()
        {
            (config.count, config.spacing) = (count, spacing);
            config.soft_layers = self.soft_layers;
        }
        config.apply(&self.parameters)
    }
}

impl Default for SceneConfig {
    fn default() -> Self {
        Self {
            robot: RobotChoice::Named(Self::ROBOT.to_owned()),
            probe: Self::PROBE.to_owned(),
            torso: Self::TORSO.to_owned(),
            shape: Shape::default(),
            patient: None,
            body: None,
            field: None,
            lattice: Lattice::Default,
            softness: SoftnessChoice::Values(Softness::default()),
            breathing: None,
            active_radius: None,
            substep: None,
            device: Device::Cpu,
            timestep: 0.002,
            robot_position: None,
        }
    }
}

impl SceneConfig {
    /// Name of the default robot.
    pub const ROBOT: &str = "panda";
    /// Name of the default probe.
    pub const PROBE: &str = "c5-2";
    /// Name of the default torso.
    pub const TORSO: &str = "fast";

    /// The scene.
    ///
    /// # Errors
    /// Those of [`SceneConfig::torso_config`] and [`SceneConfig::scene_with`].
    pub fn build(&self) -> Result<Scene, ModelError> {
        self.scene_with(self.torso_config()?.as_ref())
    }

    /// The robot.
    ///
    /// # Errors
    /// [`ModelError::Unknown`].
    pub fn robot(&self) -> Result<Robot, ModelError> {
        match &self.robot {
            RobotChoice::Named(name) => Ok(ModelError::find("robot", name, robots::ALL)?()),
            RobotChoice::Loaded(robot) => Ok(Robot::clone(robot)),
        }
    }

    /// The probe.
    ///
    /// # Errors
    /// [`ModelError::Unknown`].
    pub fn probe(&self) -> Result<Probe, ModelError> {
        Ok(ModelError::find("probe", &self.probe, probes::ALL)?())
    }

    /// The kind of torso; `None` for a scene without a torso.
    ///
    /// # Errors
    /// [`ModelError::Unknown`].
    pub fn torso_kind(&self) -> Result<Option<&'static TorsoKind>, ModelError> {
        torsos::by_name_or_none(&self.torso)
    }

    /// The configuration of the torso, checked; `None` for a scene without a torso.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] for a name, [`ModelError::OutOfRange`] for a number, [`ModelError::Conflict`] for a lattice that the torso
    /// cannot have and for constraints that it does not have.
    pub fn torso_config(&self) -> Result<Option<TorsoConfig>, ModelError> {
        let Some(kind) = self.torso_kind()? else {
            return self.check_device(None).map(|()| None);
        };
        self.check_device(Some(kind))?;
        if self.shape == Shape::Adult {
            self.patient.unwrap_or_default().check()?;
        }
        let mut config = TorsoConfig {
            breathing: self.breathing,
            ..self.lattice_of(kind)?
        };
        self.soften(&mut config)?;
        if config.soft_layers.is_some() {
            config = config.with_matched_softness(self.timestep);
        }
        config.device = self.device;
        let own = kind.active_radius.filter(|_| self.device == Device::Cpu);
        let reach = self.active_radius.or(own);
        config.active_radius = reach.filter(|reach| reach.is_finite());
        config.substep = self.substep;
        config.field.clone_from(&self.field);
        config.check()?;
        Ok(Some(config))
    }

    /// Fails if the torso cannot be stepped by the device.
    fn check_device(&self, kind: Option<&TorsoKind>) -> Result<(), ModelError> {
        if self.device == Device::Cpu || kind.is_some_and(|kind| kind.runs_on_gpu) {
            return Ok(());
        }
        Err(ModelError::Conflict(format!(
            "the torso {} is not stepped by a GPU; torsos on a GPU: {}",
            self.torso,
            torsos::on_gpu().join(", ")
        )))
    }

    /// The scene with a torso of another configuration than [`SceneConfig::torso_config`]; `None`: without a torso.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] for a name; the errors of [`TorsoKind::build`].
    pub fn scene_with(&self, torso: Option<&TorsoConfig>) -> Result<Scene, ModelError> {
        let torso = match torso {
            None => None,
            Some(config) => Some((torsos::by_name(&self.torso)?.build)(config)?),
        };
        let mut scene = Scene::new(self.robot()?, self.probe()?, torso);
        scene.timestep = self.timestep;
        scene.robot_position = self.robot_position.unwrap_or(scene.robot_position);
        Ok(scene)
    }

    /// A torso of default softness with the lattice of the settings.
    fn lattice_of(&self, kind: &TorsoKind) -> Result<TorsoConfig, ModelError> {
        let (shape, patient) = (self.shape, self.patient);
        let thickness = self.probe()?.thickness;
        let unfitted = || match &self.body {
            Some(body) => TorsoConfig::of_body(body.clone(), kind.adult_spacing),
            None => TorsoConfig::unfitted(kind, shape, patient),
        };
        let default = || match (&self.body, kind.follows_probe) {
            (None, _) => TorsoConfig::default_for(kind, shape, patient, thickness),
            (Some(_), true) => unfitted().fitted_to_probe(thickness),
            (Some(_), false) => unfitted(),
        };
        Ok(match self.lattice {
            Lattice::Default => default(),
            Lattice::Unfitted => unfitted(),
            Lattice::Probe if kind.is_shell() => unfitted().fitted_to_probe(thickness),
            Lattice::Probe => {
                return Err(ModelError::Conflict(format!(
                    "a lattice that is matched to the probe is for the torsos {}; {} is a solid without gaps",
                    shells(),
                    kind.name
                )));
            }
            Lattice::Thesis if shape == Shape::Adult => {
                return Err(ModelError::Conflict(
                    "the lattice of the thesis is for the shapes of the thesis; an adult has the size of a person"
                        .to_owned(),
                ));
            }
            Lattice::Thesis => TorsoConfig {
                shape,
                ..TorsoConfig::default()
            },
            Lattice::MaxSpacing(spacing) => default().with_max_spacing(spacing),
            Lattice::Points { count, spacing } => {
                let config = match (spacing, &self.body) {
                    (Some(spacing), Some(body)) => TorsoConfig::of_body(body.clone(), spacing),
                    (Some(spacing), None) if shape == Shape::Adult => {
                        TorsoConfig::of_patient(patient.unwrap_or_default(), spacing)
                    }
                    (Some(spacing), None) => TorsoConfig {
                        spacing,
                        ..unfitted()
                    },
                    (None, _) => unfitted(),
                };
                TorsoConfig {
                    count: count.unwrap_or(config.count),
                    ..config
                }
            }
        })
    }

    /// Sets the softness of a configuration, and the lattice and the constraints of a tuned torso.
    fn soften(&self, config: &mut TorsoConfig) -> Result<(), ModelError> {
        match &self.softness {
            SoftnessChoice::Values(softness) => config.softness = *softness,
            SoftnessChoice::Material(name) => {
                config.softness = materials::by_name(name)?.softness();
            }
            SoftnessChoice::Tuned(tuned) => tuned.apply(config)?,
        }
        Ok(())
    }
}

/// Names of the torsos that are shells.
fn shells() -> String {
    let shells = torsos::ALL.iter().filter(|kind| kind.is_shell());
    shells
        .map(|kind| kind.name)
        .collect::<Vec<_>>()
        .join(" and ")
}

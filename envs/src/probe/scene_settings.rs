//! Settings of a scene, as `scene.*` of a task: words of the command line, with `_` in place of `-`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use insonate_calibration::softness::SoftnessFile;
use insonate_models::patients::Physique;
use insonate_models::robots::{self, Robot};
use insonate_models::torsos::{Device, Shape, Softness, TorsoKind};
use insonate_models::{Lattice, ModelError, RobotChoice, SceneConfig, SoftnessChoice, TunedTorso};
use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use super::{NominalTorso, TissueSettings, robot_file, tuned_torso};
use crate::{EnvError, OwnPatient, named_folder, patient_name};

/// Contents of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSettings {
    /// Robot arm, such as `panda` or `ur5e`; `robot_file` replaces it.
    pub robot: String,
    /// Robot of one's own: an MJCF or URDF file. Empty: no file. Needs `flange`.
    #[serde(default)]
    pub robot_file: String,
    /// Body, site or link of the robot file that carries the probe.
    #[serde(default)]
    pub flange: String,
    /// Folder that the robot file may read from. Empty: the file's own folder.
    #[serde(default)]
    pub robot_root: String,
    /// Folders of packages that a URDF names, as `NAME=DIR`.
    #[serde(default)]
    pub package: Vec<String>,
    /// Removes bodies that the last link of the robot file carries next to the flange.
    #[serde(default)]
    pub without_tool: bool,
    /// Checksum of the robot that the file gave, recorded with a policy: another robot is refused. Empty: any robot.
    #[serde(default)]
    pub robot_sha256: String,
    /// Ultrasound probe, such as `c5-2`.
    pub probe: String,
    /// Soft torso, such as `fast` or `flex`. `none` if the task needs no torso.
    pub torso: String,
    /// Shape of the torso: `cylinder`, `box`, `ellipsoid`, `human`, or `adult`, a whole patient.
    pub shape: String,
    /// Lattice of a `fast` torso. `probe`: fine enough that no probe falls through. `thesis`: 35 mm, faster and coarser; stiffness and
    /// damping are `solref` of MuJoCo's constraints (Jakobsen 2021); the shapes `human` and `adult` keep their own spacing. Other torsos
    /// have one lattice.
    #[serde(default = "probe_lattice")]
    pub lattice: String,
    /// Resolution of a torso of a tissue solver.
    #[serde(default)]
    pub tissue: TissueSettings,
    /// What steps a torso of a tissue solver: `cpu`, or `gpu`, which steps the torsos of all environments at once.
    #[serde(default = "cpu")]
    pub device: String,
    /// Patient of the shape `adult`.
    #[serde(default)]
    pub patient: Physique,
    /// Folders of made patients, which replace the shape; an episode has one of them. Empty: none.
    #[serde(default)]
    pub patients: Vec<String>,
    /// Calibration file of `insonate calibrate`. Its entry for this torso gives the constraints and the ranges of stiffness and damping.
    /// Empty: no file.
    pub softness: String,
    /// Length of a physics step [s].
    #[serde(alias = "physics_timestep")]
    pub timestep: f64,
}

impl Default for SceneSettings {
    fn default() -> Self {
        Self {
            robot: SceneConfig::ROBOT.to_owned(),
            robot_file: String::new(),
            flange: String::new(),
            robot_root: String::new(),
            package: Vec::new(),
            without_tool: false,
            robot_sha256: String::new(),
            probe: SceneConfig::PROBE.to_owned(),
            torso: SceneConfig::TORSO.to_owned(),
            shape: Shape::default().name().to_owned(),
            lattice: probe_lattice(),
            tissue: TissueSettings::default(),
            device: cpu(),
            patient: Physique::default(),
            patients: Vec::new(),
            softness: String::new(),
            timestep: SceneConfig::default().timestep,
        }
    }
}

fn cpu() -> String {
    "cpu".to_owned()
}

fn probe_lattice() -> String {
    "probe".to_owned()
}

impl SceneSettings {
    /// Checks the numbers of the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("scene.timestep", self.timestep, [1e-4, 0.005], "s")?;
        self.tissue.check()
    }

    /// The kind of torso; `None` for a scene without a torso.
    ///
    /// # Errors
    /// [`EnvError::Unknown`].
    pub fn torso_kind(&self) -> Result<Option<&'static TorsoKind>, EnvError> {
        insonate_models::torsos::by_name_or_none(&self.torso).map_err(EnvError::of_name)
    }

    /// The scene that the settings describe. A robot file is read, and so is a softness file.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for a name; [`EnvError::Config`] for a file, for a robot without a flange, and for a robot file that has changed
    /// since its checksum was recorded.
    pub fn config(&self) -> Result<SceneConfig, EnvError> {
        self.config_of(self.first_patient()?.as_ref())
    }

    /// As [`Self::config`], with a made patient.
    pub(super) fn config_of(&self, own: Option<&OwnPatient>) -> Result<SceneConfig, EnvError> {
        let robot = match self.robot_of_file()? {
            Some(robot) => robot,
            None => self.named_robot()?,
        };
        let robot = RobotChoice::Loaded(Box::new(robot));
        self.config_with(robot, self.softness_file()?.as_ref(), own)
    }

    /// The made patients.
    ///
    /// # Errors
    /// [`EnvError::Config`]: a folder is not that of a patient, or the scene has no torso, or several patients are stepped by a GPU.
    pub(super) fn read_patients(&self) -> Result<Vec<Arc<OwnPatient>>, EnvError> {
        let wrong = |problem: String| EnvError::Config {
            field: "scene.patients".to_owned(),
            problem,
        };
        if self.patients.is_empty() {
            return Ok(Vec::new());
        }
        if self.torso_kind()?.is_none() {
            return Err(wrong("need a torso: this task has none".to_owned()));
        }
        if self.patients.len() > 1 && self.device != "cpu" {
            let problem = "a GPU steps one patient at a time: give one folder, or scene.device=cpu";
            return Err(wrong(problem.to_owned()));
        }
        let mut names = BTreeMap::new();
        for folder in &self.patients {
            let name = patient_name(folder);
            if let Some(other) = names.insert(name.clone(), folder) {
                return Err(wrong(format!(
                    "{other} and {folder} have one name, {name}, but figures name patients by their folders: rename one of them"
                )));
            }
        }
        let read = |folder: &String| {
            if !Path::new(folder).join("patient.toml").is_file() {
                let problem = format!(
                    "{folder} has no patient.toml; insonate patient make writes the folder of a patient"
                );
                return Err(wrong(problem));
            }
            OwnPatient::read(folder).map(Arc::new)
        };
        self.patients.iter().map(read).collect()
    }

    fn first_patient(&self) -> Result<Option<OwnPatient>, EnvError> {
        let first = Self {
            patients: self.patients.iter().take(1).cloned().collect(),
            ..self.clone()
        };
        let mut read = first.read_patients()?.into_iter();
        Ok(read.next().map(Arc::unwrap_or_clone))
    }

    /// The torso's nominal configuration and its softness at the probe. Other softnesses are scaled from it.
    ///
    /// # Errors
    /// Those of [`SceneSettings::config`]; [`EnvError::Config`] for a scene without a torso.
    pub fn nominal(&self) -> Result<NominalTorso, EnvError> {
        self.nominal_of(self.first_patient()?.as_ref())
    }

    /// As [`Self::nominal`], with a made patient.
    pub(super) fn nominal_of(&self, own: Option<&OwnPatient>) -> Result<NominalTorso, EnvError> {
        let file = self.softness_file()?;
        // The torso does not depend on the robot.
        let robot = RobotChoice::Named(SceneConfig::ROBOT.to_owned());
        let config = self.config_with(robot, file.as_ref(), own)?;
        let config = config.torso_config().map_err(EnvError::of_name)?;
        let config = config.ok_or_else(|| EnvError::Config {
            field: "scene.torso".to_owned(),
            problem: "the task needs a torso".to_owned(),
        })?;
        let range = |name: &str| {
            let entry = file.as_ref().and_then(|file| file.pooled.get(name));
            entry.and_then(|entry| entry.randomisation)
        };
        Ok(NominalTorso {
            softness: config.softness,
            ranges: range("stiffness")
                .zip(range("damping"))
                .map(|(k, c)| [k, c]),
            config,
        })
    }

    fn config_with(
        &self,
        robot: RobotChoice,
        softness: Option<&SoftnessFile>,
        own: Option<&OwnPatient>,
    ) -> Result<SceneConfig, EnvError> {
        self.patient.check()?;
        let tissue = self.torso_kind()?.is_some_and(TorsoKind::is_tissue);
        let lattice = match self.lattice.as_str() {
            "probe" => Lattice::Default,
            "thesis" => Lattice::Unfitted,
            other => return Err(EnvError::unknown("lattice", other, &["probe", "thesis"])),
        };
        let device = Device::by_name(&self.device).map_err(EnvError::of_name)?;
        let lattice = if tissue && self.tissue.spacing > 0.0 {
            Lattice::MaxSpacing(self.tissue.spacing)
        } else {
            lattice
        };
        let mut config = SceneConfig {
            robot,
            probe: self.probe.clone(),
            torso: self.torso.clone(),
            shape: Shape::by_name(&self.shape).map_err(EnvError::of_name)?,
            patient: Some(self.patient),
            lattice,
            softness: match softness {
                Some(file) => self.softness_of(file)?,
                None => SoftnessChoice::Values(Softness::default()),
            },
            // A GPU moves all of a torso.
            active_radius: (tissue && device == Device::Cpu).then_some(match self.tissue.reach {
                0.0 => f64::INFINITY,
                reach => reach,
            }),
            device,
            substep: (tissue && self.tissue.substep > 0.0).then_some(self.tissue.substep),
            timestep: self.timestep,
            ..SceneConfig::default()
        };
        if let Some(own) = own {
            own.lay(&mut config).map_err(EnvError::of_name)?;
        }
        Ok(config)
    }

    /// The robot of the registry, which must have a flange for the probe.
    fn named_robot(&self) -> Result<Robot, EnvError> {
        let make = ModelError::find("robot", &self.robot, robots::ALL);
        let robot = make.map_err(EnvError::of_name)?();
        if robot.flange.is_none() {
            return Err(EnvError::Config {
                field: "scene.robot".to_owned(),
                problem: format!(
                    "{} holds an instrument and cannot hold a probe: choose another robot",
                    robot.name
                ),
            });
        }
        Ok(robot)
    }

    /// The robot of the settings' file; `None` if they name no file.
    ///
    /// # Errors
    /// [`EnvError::Config`] for a file that cannot be read, and for a robot that differs from the recorded checksum.
    pub fn robot_of_file(&self) -> Result<Option<Robot>, EnvError> {
        robot_file::load(self)
    }

    /// The settings as they are recorded with a policy: with the checksum of the robot that a file gave, and the names of patients.
    pub fn recorded(&self, robot: &Robot) -> Self {
        let robot_sha256 = if self.robot_file.is_empty() {
            String::new()
        } else {
            robot_file::checksum(robot)
        };
        let patients = self.patients.iter().map(|folder| named_folder(folder));
        Self {
            robot_sha256,
            patients: patients.collect(),
            ..self.clone()
        }
    }

    fn softness_file(&self) -> Result<Option<SoftnessFile>, EnvError> {
        if self.softness.is_empty() || self.torso_kind()?.is_none() {
            return Ok(None);
        }
        let file = SoftnessFile::read(Path::new(&self.softness));
        file.map(Some).map_err(|error| EnvError::Config {
            field: "scene.softness".to_owned(),
            problem: error.to_string(),
        })
    }

    /// Softness of the torso: its own entry of the file, or the pooled one.
    fn softness_of(&self, file: &SoftnessFile) -> Result<SoftnessChoice, EnvError> {
        if let Some(entry) = file.scene.get(&self.torso) {
            return Ok(SoftnessChoice::Tuned(tuned_torso(entry)));
        }
        let pooled = file.stiffness_and_damping();
        let [stiffness, damping] = pooled.ok_or_else(|| EnvError::Config {
            field: "scene.softness".to_owned(),
            problem: format!("{} {}", self.softness, file.missing_softness()),
        })?;
        Ok(SoftnessChoice::Tuned(TunedTorso {
            softness: Softness { stiffness, damping },
            ..TunedTorso::default()
        }))
    }
}

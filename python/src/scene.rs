//! Scenes: a robot with a probe above a torso, as MJCF.

use std::path::PathBuf;

use insonate::experiments::{FileSoftness, OwnPatient, SoftnessError, random_site};
use insonate_calibration::softness::SoftnessFile;
use insonate_envs::EnvError;
use insonate_envs::probe::SceneSettings;
use insonate_meshes::HeightIndex;
use insonate_models::patients::{Physique, Sex};
use insonate_models::torsos::{self, Breathing, Device, Shape, Softness, TorsoConfig, TorsoKind};
use insonate_models::{
    Lattice, ModelError, RobotChoice, SceneConfig, SoftnessChoice, probes, robots,
};
use insonate_sim::placement::SkinPoint;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};

use crate::error::{Raised, Result, value_error};
use crate::made_patient::{MadePatient, shape_of};

/// Robot, probe and torso: a description for `Physics`.
#[pyclass(frozen, module = "insonate")]
#[expect(
    clippy::struct_field_names,
    reason = "the class of Python and the description have one name"
)]
pub(crate) struct Scene {
    pub(crate) scene: insonate_models::Scene,
    pub(crate) arguments: SceneArguments,
    notes: Vec<String>,
}

/// Arguments from which the same scene can be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SceneArguments {
    robot: String,
    probe: String,
    torso: Option<String>,
    shape: String,
    stiffness: Option<f64>,
    damping: Option<f64>,
    breathing_rate: f64,
    breathing_amplitude: f64,
    count: Option<[usize; 3]>,
    spacing: Option<f64>,
    timestep: f64,
    robot_position: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lattice: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patient_sex: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patient_height: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patient_mass: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patient_seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    material: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    softness: Option<SoftnessText>,
    /// `None`: the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    #[serde(default, skip_serializing_if = "RobotFile::is_empty")]
    robot_file: RobotFile,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<MadePatient>,
}

/// A softness file: its text, so that copies of a scene need no file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SoftnessText {
    /// Name for messages.
    path: PathBuf,
    toml: String,
    /// One softness for the whole torso, without the file's map.
    pooled: bool,
    /// Origin of the frame of the logs behind the map, in the world [m].
    map_origin: [f64; 3],
}

/// A robot of the user's own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RobotFile {
    /// Empty: no file.
    path: String,
    flange: String,
    root: String,
    package: Vec<String>,
    without_tool: bool,
    /// Checksum of the robot that the file gave.
    sha256: String,
}

impl RobotFile {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn settings(&self) -> SceneSettings {
        SceneSettings {
            robot_file: self.path.clone(),
            flange: self.flange.clone(),
            robot_root: self.root.clone(),
            package: self.package.clone(),
            without_tool: self.without_tool,
            robot_sha256: self.sha256.clone(),
            ..SceneSettings::default()
        }
    }
}

impl SceneArguments {
    /// Makes the scene, and notes about its softness file. The checksum of a robot file is set to that of the robot.
    fn build(&mut self) -> Result<(insonate_models::Scene, Vec<String>)> {
        let given = self.softness.clone();
        let torso = self.torso.clone().unwrap_or(torsos::NONE.to_owned());
        let tuning = given
            .as_ref()
            .map(|given| FileSoftness::parse(&given.toml, &given.path, &torso))
            .transpose()?;
        let mut config = self.config(tuning.as_ref())?;
        let settings = self.robot_file.settings();
        if let Some(robot) = settings.robot_of_file()? {
            self.robot_file.sha256 = settings.recorded(&robot).robot_sha256;
            config.robot = RobotChoice::Loaded(Box::new(robot));
        }
        let mut notes = Vec::new();
        let scene = match (given, tuning) {
            (Some(given), Some(tuning)) => {
                let configured = config.torso_config();
                let configured = configured.map_err(|error| tuning.problem(&torso, error))?;
                if let Some(configured) = &configured {
                    notes.extend(tuning.notes(&torso, configured));
                }
                let mut scene = config.scene_with(configured.as_ref())?;
                if !given.pooled {
                    let note = tuning.apply_map(&mut scene, given.map_origin);
                    notes.extend(note.map_err(with_remedy)?);
                }
                scene
            }
            _ => config.build()?,
        };
        // Scenes that cannot be written fail here.
        scene.to_mjcf()?;
        Ok((scene, notes))
    }

    fn config(&self, tuning: Option<&FileSoftness>) -> Result<SceneConfig> {
        let usual = Softness::default();
        let lattice = self.lattice()?;
        let mut config = SceneConfig {
            robot: RobotChoice::Named(self.robot.clone()),
            probe: self.probe.clone(),
            torso: self.torso.clone().unwrap_or(torsos::NONE.to_owned()),
            shape: Shape::by_name(&self.shape)?,
            patient: self.patient()?,
            lattice,
            softness: match (tuning, &self.material) {
                (Some(tuning), _) => {
                    SoftnessChoice::Tuned(tuning.torso(lattice == Lattice::Default))
                }
                (None, Some(name)) => SoftnessChoice::Material(name.clone()),
                (None, None) => SoftnessChoice::Values(Softness {
                    stiffness: self.stiffness.unwrap_or(usual.stiffness),
                    damping: self.damping.unwrap_or(usual.damping),
                }),
            },
            breathing: (self.breathing_rate != 0.0).then_some(Breathing {
                rate: self.breathing_rate,
                amplitude: self.breathing_amplitude,
            }),
            device: match &self.device {
                Some(name) => Device::by_name(name)?,
                None => Device::default(),
            },
            timestep: self.timestep,
            robot_position: self.robot_position,
            ..SceneConfig::default()
        };
        if let Some(own) = self.own_patient() {
            own.lay(&mut config)?;
        }
        Ok(config)
    }

    /// The made patient; `None` without one.
    pub(crate) fn own_patient(&self) -> Option<&OwnPatient> {
        self.made.as_ref().and_then(MadePatient::patient)
    }

    /// The torso with another stiffness [N/m] and damping [N·s/m].
    pub(crate) fn softened(
        &self,
        stiffness: f64,
        damping: f64,
    ) -> Result<(&'static TorsoKind, TorsoConfig)> {
        let Some(torso) = &self.torso else {
            return Err(value_error("the scene has no torso that could be softer"));
        };
        if self.softness.is_some() {
            return Err(value_error(
                "the scene has the softness of a file: make one with stiffness and damping",
            ));
        }
        let softer = Self {
            stiffness: Some(stiffness),
            damping: Some(damping),
            material: None,
            ..self.clone()
        };
        let kind = torsos::by_name(torso)?;
        let config = softer.config(None)?.torso_config()?;
        let config = config.ok_or_else(|| value_error("the scene has no torso"))?;
        Ok((kind, config))
    }

    /// Fails for keywords that exclude each other.
    fn check(&self) -> Result<()> {
        let given: Vec<&str> = [
            (
                "stiffness or damping",
                self.stiffness.is_some() || self.damping.is_some(),
            ),
            ("material", self.material.is_some()),
            ("softness", self.softness.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name))
        .collect();
        if given.len() > 1 {
            return Err(value_error(format!("give one of {}", given.join(" and "))));
        }
        if self.torso.is_none() && self.made.is_some() {
            return Err(value_error("patient needs a torso, but torso is None"));
        }
        if self.torso.is_none() && (self.material.is_some() || self.softness.is_some()) {
            return Err(value_error("softness needs a torso, but torso is None"));
        }
        Ok(())
    }

    fn lattice(&self) -> Result<Lattice> {
        let has_numbers = self.count.is_some() || self.spacing.is_some();
        Ok(match self.lattice.as_deref() {
            Some(_) if has_numbers => {
                return Err(value_error("give a lattice or its count and spacing"));
            }
            None if has_numbers => Lattice::Points {
                count: self.count,
                spacing: self.spacing,
            },
            None => Lattice::Default,
            Some("probe") => Lattice::Probe,
            Some("thesis") => Lattice::Thesis,
            Some(other) => {
                return Err(EnvError::unknown("lattice", other, &["probe", "thesis"]).into());
            }
        })
    }

    /// The patient of the shape `adult`.
    pub(crate) fn patient(&self) -> Result<Option<Physique>> {
        let is_given = self.patient_seed.is_some()
            || self.patient_sex.is_some()
            || self.patient_height.is_some()
            || self.patient_mass.is_some();
        if !is_given {
            return Ok(None);
        }
        if let Some(made) = &self.made {
            return Err(value_error(format!(
                "patient_seed, patient_sex, patient_height and patient_mass are those of the procedural adult; {} has its own",
                made.folder.display()
            )));
        }
        if self.shape != Shape::Adult.name() {
            return Err(value_error(
                "patient_seed, patient_sex, patient_height and patient_mass need shape=\"adult\"",
            ));
        }
        let sex = match &self.patient_sex {
            None => None,
            Some(name) => Some(*ModelError::find("sex", name, Sex::ALL)?),
        };
        let drawn = self.patient_seed.map(Physique::drawn);
        let mut physique = drawn.unwrap_or(Physique::reference(sex.unwrap_or_default()));
        physique.sex = sex.unwrap_or(physique.sex);
        Ok(Some(physique.with(self.patient_height, self.patient_mass)))
    }
}

/// An error of a map with the keywords that avoid it.
fn with_remedy(error: SoftnessError) -> Raised {
    const POOLED: &str = "give pooled=True for one softness over the whole torso";
    match &error {
        SoftnessError::NoField { .. } => {
            let able = torsos::ALL.iter().filter(|kind| kind.takes_field);
            let able: Vec<&str> = able.map(|kind| kind.name).collect();
            value_error(format!(
                "{error}; choose torso {}, or {POOLED}",
                able.join(" or ")
            ))
        }
        SoftnessError::Misplaced { .. } => value_error(format!(
            "{error}; give the origin of the logs' frame in the world as map_origin=(x, y, z), or {POOLED}"
        )),
        SoftnessError::Field { .. } => value_error(format!("{error}; or {POOLED}")),
        _ => error.into(),
    }
}

impl From<SoftnessError> for Raised {
    fn from(error: SoftnessError) -> Self {
        match error {
            SoftnessError::Read(error) => error.into(),
            other => value_error(other.to_string()),
        }
    }
}

/// The softness file, read unless its text is given.
fn softness_of(
    path: Option<PathBuf>,
    text: Option<String>,
    pooled: bool,
    map_origin: Option<[f64; 3]>,
) -> Result<Option<SoftnessText>> {
    let Some(path) = path else {
        if pooled || map_origin.is_some() || text.is_some() {
            return Err(value_error("pooled and map_origin need a softness file"));
        }
        return Ok(None);
    };
    let map_origin = map_origin.unwrap_or_default();
    if !map_origin.iter().all(|x| x.is_finite()) {
        return Err(value_error(format!(
            "map_origin is {map_origin:?}, but must be finite [m]"
        )));
    }
    let toml = match text {
        Some(text) => text,
        None => SoftnessFile::read(&path)?.to_toml(),
    };
    Ok(Some(SoftnessText {
        path,
        toml,
        pooled,
        map_origin,
    }))
}

/// Names of robots, probes, torsos and shapes.
#[pyfunction]
pub(crate) fn parts() -> [(&'static str, Vec<&'static str>); 4] {
    [
        (
            "robots",
            robots::ALL.iter().map(|(name, _)| *name).collect(),
        ),
        (
            "probes",
            probes::ALL.iter().map(|(name, _)| *name).collect(),
        ),
        ("torsos", torsos::ALL.iter().map(|kind| kind.name).collect()),
        ("shapes", Shape::ALL.iter().map(|(name, _)| *name).collect()),
    ]
}

/// Robot, probe and torso, and the keywords.
type SceneCall<'py> = ((String, String, Option<String>), Bound<'py, PyDict>);

#[pymethods]
impl Scene {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (robot="panda", probe="c5-2", torso=Some("fast"), *, shape=None, stiffness=None, damping=None,
        breathing_rate=0.0, breathing_amplitude=0.008, count=None, spacing=None, timestep=0.002, robot_position=None, lattice=None,
        patient_sex=None, patient_height=None, patient_mass=None, robot_file=None, flange=None, robot_root=None, package=None,
        without_tool=false, robot_sha256=None, patient=None, patient_seed=None, material=None, softness=None, softness_text=None, pooled=false, map_origin=None,
        device=None))]
    fn new(
        robot: &str,
        probe: &str,
        torso: Option<&str>,
        shape: Option<&str>,
        stiffness: Option<f64>,
        damping: Option<f64>,
        breathing_rate: f64,
        breathing_amplitude: f64,
        count: Option<[usize; 3]>,
        spacing: Option<f64>,
        timestep: f64,
        robot_position: Option<[f64; 3]>,
        lattice: Option<String>,
        patient_sex: Option<String>,
        patient_height: Option<f64>,
        patient_mass: Option<f64>,
        robot_file: Option<PathBuf>,
        flange: Option<String>,
        robot_root: Option<PathBuf>,
        package: Option<Vec<String>>,
        without_tool: bool,
        robot_sha256: Option<String>,
        patient: Option<PathBuf>,
        patient_seed: Option<u64>,
        material: Option<String>,
        softness: Option<PathBuf>,
        softness_text: Option<String>,
        pooled: bool,
        map_origin: Option<[f64; 3]>,
        device: Option<String>,
    ) -> Result<Self> {
        let softness = softness_of(softness, softness_text, pooled, map_origin)?;
        let (shape, made) = shape_of(shape, patient.as_deref())?;
        let text = |path: Option<PathBuf>| path.map(|path| path.display().to_string());
        let mut arguments = SceneArguments {
            robot: robot.to_owned(),
            probe: probe.to_owned(),
            torso: torso.map(str::to_owned),
            shape,
            stiffness,
            damping,
            breathing_rate,
            breathing_amplitude,
            count,
            spacing,
            timestep,
            robot_position,
            lattice,
            patient_sex,
            patient_height,
            patient_mass,
            patient_seed,
            material,
            softness,
            device,
            robot_file: RobotFile {
                path: text(robot_file).unwrap_or_default(),
                flange: flange.unwrap_or_default(),
                root: text(robot_root).unwrap_or_default(),
                package: package.unwrap_or_default(),
                without_tool,
                sha256: robot_sha256.unwrap_or_default(),
            },
            made,
        };
        arguments.check()?;
        let (scene, notes) = arguments.build()?;
        Ok(Self {
            scene,
            arguments,
            notes,
        })
    }

    /// The arguments of the constructor, for `pickle`.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> Result<SceneCall<'py>> {
        let given = &self.arguments;
        let keywords = PyDict::new(py);
        keywords.set_item("shape", &given.shape)?;
        keywords.set_item("stiffness", given.stiffness)?;
        keywords.set_item("damping", given.damping)?;
        keywords.set_item("breathing_rate", given.breathing_rate)?;
        keywords.set_item("breathing_amplitude", given.breathing_amplitude)?;
        keywords.set_item("count", given.count)?;
        keywords.set_item("spacing", given.spacing)?;
        keywords.set_item("timestep", given.timestep)?;
        keywords.set_item("robot_position", given.robot_position)?;
        keywords.set_item("lattice", &given.lattice)?;
        keywords.set_item("patient_sex", &given.patient_sex)?;
        keywords.set_item("patient_height", given.patient_height)?;
        keywords.set_item("patient_mass", given.patient_mass)?;
        keywords.set_item("patient_seed", given.patient_seed)?;
        keywords.set_item("material", &given.material)?;
        keywords.set_item("device", &given.device)?;
        if let Some(made) = &given.made {
            keywords.set_item("patient", &made.folder)?;
        }
        if let Some(softness) = &given.softness {
            keywords.set_item("softness", &softness.path)?;
            keywords.set_item("softness_text", &softness.toml)?;
            keywords.set_item("pooled", softness.pooled)?;
            keywords.set_item("map_origin", softness.map_origin)?;
        }
        let file = &given.robot_file;
        if !file.is_empty() {
            keywords.set_item("robot_file", &file.path)?;
            keywords.set_item("flange", &file.flange)?;
            keywords.set_item("robot_root", (!file.root.is_empty()).then_some(&file.root))?;
            keywords.set_item("package", &file.package)?;
            keywords.set_item("without_tool", file.without_tool)?;
            keywords.set_item("robot_sha256", &file.sha256)?;
        }
        let parts = (
            given.robot.clone(),
            given.probe.clone(),
            given.torso.clone(),
        );
        Ok((parts, keywords))
    }

    /// The scene itself, which never changes.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The scene itself, which never changes.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> String {
        self.scene.name()
    }

    /// Which entry of the softness file the torso has taken, and how it differs from the torso that was tuned.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// A random site in the torso's frame [m], which the seed and the number of the site determine.
    #[pyo3(signature = (seed, index=0))]
    fn random_site(&self, seed: u64, index: u64) -> [f64; 2] {
        random_site(seed, index, &self.scene)
    }

    /// Length of a physics step [s].
    #[getter]
    fn timestep(&self) -> f64 {
        self.scene.timestep
    }

    /// The scene as one standalone MJCF file. MuJoCo itself takes 0.4 to 1.1 s for a step of `fast`, and 1 ms for one of `flex`.
    fn to_xml(&self, py: Python<'_>) -> Result<String> {
        let xml = py.detach(|| Ok::<_, ModelError>(self.scene.to_mjcf()?.to_xml()?))?;
        Ok(xml)
    }

    /// Position [m] and outward normal of the skin above `(x, y)` [m] of the torso's frame, in the world
    /// frame.
    fn skin(&self, x: f64, y: f64) -> Result<([f64; 3], [f64; 3])> {
        let point = self.skin_point(x, y)?;
        Ok((point.position.into(), point.normal.into()))
    }

    fn __repr__(&self) -> String {
        format!("Scene({})", self.scene.name())
    }
}

impl Scene {
    pub(crate) fn skin_point(&self, x: f64, y: f64) -> Result<SkinPoint> {
        let Some(torso) = &self.scene.torso else {
            return Err(value_error("the scene has no torso to touch"));
        };
        SkinPoint::above(&HeightIndex::new(&torso.surface), self.scene.torso_position, x, y).ok_or_else(|| {
            let [low, high] = torso.surface.bounds();
            value_error(format!(
                "({x}, {y}) is outside the torso, which extends from ({:.3}, {:.3}) to ({:.3}, {:.3}) m",
                low[0], low[1], high[0], high[1]
            ))
        })
    }
}

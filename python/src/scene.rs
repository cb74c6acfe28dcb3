//! Scenes: a robot with a probe above a torso, as MJCF.

use std::path::PathBuf;

use insonate_envs::EnvError;
use insonate_envs::probe::SceneSettings;
use insonate_meshes::HeightIndex;
use insonate_models::patients::{Physique, Sex};
use insonate_models::torsos::{self, Breathing, Shape, Softness};
use insonate_models::{
    Lattice, ModelError, RobotChoice, SceneConfig, SoftnessChoice, probes, robots,
};
use insonate_sim::placement::SkinPoint;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};

use crate::error::{Result, value_error};

/// Robot, probe and torso: a description for `Physics`.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct Scene {
    pub(crate) scene: insonate_models::Scene,
    pub(crate) arguments: SceneArguments,
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
    #[serde(default, skip_serializing_if = "RobotFile::is_empty")]
    robot_file: RobotFile,
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
    /// Makes the scene. The checksum of a robot file is set to that of the robot.
    fn build(&mut self) -> Result<insonate_models::Scene> {
        let mut config = self.config()?;
        let settings = self.robot_file.settings();
        if let Some(robot) = settings.robot_of_file()? {
            self.robot_file.sha256 = settings.recorded(&robot).robot_sha256;
            config.robot = RobotChoice::Loaded(Box::new(robot));
        }
        let scene = config.build()?;
        // Scenes that cannot be written fail here.
        scene.to_mjcf()?;
        Ok(scene)
    }

    fn config(&self) -> Result<SceneConfig> {
        let usual = Softness::default();
        Ok(SceneConfig {
            robot: RobotChoice::Named(self.robot.clone()),
            probe: self.probe.clone(),
            torso: self.torso.clone().unwrap_or(torsos::NONE.to_owned()),
            shape: Shape::by_name(&self.shape)?,
            patient: self.patient()?,
            lattice: self.lattice()?,
            softness: SoftnessChoice::Values(Softness {
                stiffness: self.stiffness.unwrap_or(usual.stiffness),
                damping: self.damping.unwrap_or(usual.damping),
            }),
            breathing: (self.breathing_rate != 0.0).then_some(Breathing {
                rate: self.breathing_rate,
                amplitude: self.breathing_amplitude,
            }),
            timestep: self.timestep,
            robot_position: self.robot_position,
            ..SceneConfig::default()
        })
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
    fn patient(&self) -> Result<Option<Physique>> {
        let is_given = self.patient_sex.is_some()
            || self.patient_height.is_some()
            || self.patient_mass.is_some();
        if !is_given {
            return Ok(None);
        }
        if self.shape != Shape::Adult.name() {
            return Err(value_error(
                "patient_sex, patient_height and patient_mass need shape=\"adult\"",
            ));
        }
        let sex = match &self.patient_sex {
            None => Sex::default(),
            Some(name) => *ModelError::find("sex", name, Sex::ALL)?,
        };
        Ok(Some(Physique::of(
            sex,
            self.patient_height,
            self.patient_mass,
        )))
    }
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
    #[pyo3(signature = (robot="panda", probe="c5-2", torso=Some("fast"), *, shape="cylinder", stiffness=None, damping=None,
        breathing_rate=0.0, breathing_amplitude=0.008, count=None, spacing=None, timestep=0.002, robot_position=None, lattice=None,
        patient_sex=None, patient_height=None, patient_mass=None, robot_file=None, flange=None, robot_root=None, package=None,
        without_tool=false, robot_sha256=None))]
    fn new(
        robot: &str,
        probe: &str,
        torso: Option<&str>,
        shape: &str,
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
    ) -> Result<Self> {
        let text = |path: Option<PathBuf>| path.map(|path| path.display().to_string());
        let mut arguments = SceneArguments {
            robot: robot.to_owned(),
            probe: probe.to_owned(),
            torso: torso.map(str::to_owned),
            shape: shape.to_owned(),
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
            robot_file: RobotFile {
                path: text(robot_file).unwrap_or_default(),
                flange: flange.unwrap_or_default(),
                root: text(robot_root).unwrap_or_default(),
                package: package.unwrap_or_default(),
                without_tool,
                sha256: robot_sha256.unwrap_or_default(),
            },
        };
        let scene = arguments.build()?;
        Ok(Self { scene, arguments })
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

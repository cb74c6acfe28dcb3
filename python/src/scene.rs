//! Scenes: a robot with a probe above a torso, as MJCF.

use insonate_meshes::HeightIndex;
use insonate_models::robots::{self, Robot};
use insonate_models::torsos::{self, Breathing, Shape, Softness, Torso, TorsoConfig};
use insonate_models::{ModelError, probes};
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
        breathing_rate=0.0, breathing_amplitude=0.008, count=None, spacing=None, timestep=0.002, robot_position=None))]
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
    ) -> Result<Self> {
        let arguments = SceneArguments {
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
        };
        let shape = *find(shape, "shape", Shape::ALL)?;
        let make_probe = *find(probe, "probe", probes::ALL)?;
        let probe = make_probe();
        let kind = torso.unwrap_or("none");
        // A lattice with explicit numbers does not depend on the probe.
        let by_numbers = count.is_some() || spacing.is_some();
        let kind = if by_numbers && kind == "fast" {
            "composite"
        } else {
            kind
        };
        let usual = TorsoConfig::usual(kind, shape, None, probe.thickness);
        let mut config = TorsoConfig {
            count: count.unwrap_or(usual.count),
            spacing: spacing.unwrap_or(usual.spacing),
            softness: Softness {
                stiffness: stiffness.unwrap_or(usual.softness.stiffness),
                damping: damping.unwrap_or(usual.softness.damping),
            },
            breathing: (breathing_rate != 0.0).then_some(Breathing {
                rate: breathing_rate,
                amplitude: breathing_amplitude,
            }),
            ..usual
        };
        if config.soft_layers.is_some() {
            config = config.matching(timestep);
        }
        config.reach = TorsoConfig::usual_reach(kind);
        let make_robot: fn() -> Robot = *find(robot, "robot", robots::ALL)?;
        let mut scene = insonate_models::Scene::new(make_robot(), probe, build(torso, &config)?);
        scene.timestep = timestep;
        scene.robot_position = robot_position.unwrap_or(scene.robot_position);
        // Scenes that cannot be written fail here.
        scene.to_mjcf()?;
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

fn build(torso: Option<&str>, config: &TorsoConfig) -> Result<Option<Torso>> {
    let Some(name) = torso.filter(|name| *name != "none") else {
        return Ok(None);
    };
    let kind = torsos::by_name(name)?;
    config.check()?;
    Ok(Some((kind.build)(config)?))
}

/// Looks up `name` in a registry.
fn find<'a, T>(name: &str, kind: &'static str, all: &'a [(&'static str, T)]) -> Result<&'a T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
        ModelError::Unknown {
            kind,
            name: name.to_owned(),
            known: known.join(", "),
        }
        .into()
    })
}

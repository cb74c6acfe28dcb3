//! Common settings of tasks on tissue.

use insonate_settings::{check_interval, check_range, check_ranges, check_vector};
use insonate_tissue::Material;
use insonate_tissue::xpbd::{GripperGeometry, XpbdConfig};
use serde::{Deserialize, Serialize};

use crate::EnvError;

/// Settings of a task on tissue. `T` holds those of the task itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurgerySettings<T> {
    /// Time steps.
    pub time: SurgeryTimeSettings,
    /// Robot that holds the instrument.
    pub scene: SurgerySceneSettings,
    /// The tissue.
    pub organ: OrganSettings,
    /// The instrument.
    pub instrument: InstrumentSettings,
    /// Observations in addition to positions.
    pub observation: SurgeryObservationSettings,
    /// Settings of the task.
    pub task: T,
}

/// Time steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurgeryTimeSettings {
    /// Simulated time per step [s].
    pub control_timestep: f64,
    /// Substeps of the solver per step.
    pub n_substeps: usize,
    /// Steps after which an episode is truncated.
    pub max_steps: usize,
}

impl Default for SurgeryTimeSettings {
    fn default() -> Self {
        Self {
            control_timestep: 0.01,
            n_substeps: 10,
            max_steps: 200,
        }
    }
}

/// Settings of the robot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurgerySceneSettings {
    /// `floating`, or the arm `psm`.
    pub robot: SurgeryRobot,
    /// Remote centre of motion of an arm, which replaces `instrument.trocar` [m].
    pub remote_centre: [f64; 3],
}

/// Robot that holds the instrument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurgeryRobot {
    /// None: actions move the instrument directly.
    #[default]
    Floating,
    /// The patient-side manipulator of the da Vinci, with its dynamics.
    Psm,
}

impl Default for SurgerySceneSettings {
    fn default() -> Self {
        Self {
            robot: SurgeryRobot::default(),
            remote_centre: [0.03, -0.016, 0.2],
        }
    }
}

/// The organ: a liver of one material, fixed behind, hanging under gravity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrganSettings {
    /// Edge length of the tetrahedra [m].
    pub edge: f64,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Damping time of the material [s]: stress per strain rate divided by stress per strain. Damping costs computing time.
    pub damping_time: f64,
    /// Rate of velocity damping by the surroundings [1/s].
    pub drag: f64,
    /// Vertices behind this plane (with a greater y) are fixed [m].
    pub fixed_behind: f64,
    /// Gravitational acceleration, downwards [m/s²].
    pub gravity: f64,
    /// Speed of a vertex above which the episode ends as diverged [m/s].
    pub max_speed: f64,
}

impl Default for OrganSettings {
    fn default() -> Self {
        Self {
            edge: 0.0212,
            young_modulus: 6e3,
            poisson_ratio: 0.45,
            density: 1060.0,
            damping_time: 0.0,
            drag: 10.0,
            fixed_behind: 0.015,
            gravity: 9.81,
            max_speed: 50.0,
        }
    }
}

/// The instrument: a shaft through a trocar, and two clamps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstrumentSettings {
    /// Point where the shaft passes through the body wall: its remote centre of motion [m].
    pub trocar: [f64; 3],
    /// Displacement of the tips of the clamps along an axis at an action of 1 [m].
    pub step: f64,
    /// Lower bound of the position of the clamps' tips [m].
    pub workspace_low: [f64; 3],
    /// Upper bound of the position of the clamps' tips [m].
    pub workspace_high: [f64; 3],
    /// Radius of the shaft [m].
    pub shaft_radius: f64,
    /// Length of the clamps [m].
    pub clamp_length: f64,
    /// Radius of a clamp [m].
    pub clamp_radius: f64,
    /// Radius around the middle of the clamps within which closing clamps grasp vertices [m].
    pub grasp_radius: f64,
    /// Opening at which the clamps release tissue, as a fraction of the full opening.
    pub release_opening: f64,
    /// Coulomb friction coefficient.
    pub friction: f64,
}

impl Default for InstrumentSettings {
    fn default() -> Self {
        Self {
            trocar: [0.09, -0.016, 0.3],
            step: 0.001,
            workspace_low: [-0.09, -0.08, -0.01],
            workspace_high: [0.09, 0.05, 0.11],
            shaft_radius: 0.004,
            clamp_length: 0.008,
            clamp_radius: 0.001,
            grasp_radius: 0.008,
            release_opening: 0.5,
            friction: 0.3,
        }
    }
}

/// Observations in addition to positions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurgeryObservationSettings {
    /// Whether to observe the force of the tissue on the instrument, averaged over a step.
    pub force: bool,
    /// Whether to observe an arm's joints and torques.
    pub joints: bool,
}

impl<T> SurgerySettings<T> {
    /// Checks the settings, except those of the task.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`], naming the setting.
    pub fn check(&self) -> Result<(), EnvError> {
        let SurgeryTimeSettings {
            control_timestep,
            n_substeps,
            max_steps,
        } = self.time;
        check_range("time.control_timestep", control_timestep, [1e-4, 0.2], "s")?;
        check_range("time.n_substeps", n_substeps as f64, [1.0, 1e3], "")?;
        check_range("time.max_steps", max_steps as f64, [1.0, 1e9], "steps")?;
        self.organ.check()?;
        let most = n_substeps as f64 / control_timestep;
        check_range("organ.drag", self.organ.drag, [0.0, most], "1/s")?;
        let is_arm = self.scene.robot != SurgeryRobot::Floating;
        if self.observation.joints && !is_arm {
            return Err(EnvError::Config {
                field: "observation.joints".to_owned(),
                problem: "needs an arm: scene.robot = \"psm\"".to_owned(),
            });
        }
        let field = if is_arm {
            "scene.remote_centre"
        } else {
            "instrument.trocar"
        };
        self.instrument().check(field)
    }

    /// The instrument, with its trocar at the remote centre of the arm if there is one.
    pub(super) fn instrument(&self) -> InstrumentSettings {
        let trocar = match self.scene.robot {
            SurgeryRobot::Floating => self.instrument.trocar,
            SurgeryRobot::Psm => self.scene.remote_centre,
        };
        InstrumentSettings {
            trocar,
            ..self.instrument.clone()
        }
    }

    /// The solver's settings.
    pub(super) fn config(&self) -> XpbdConfig {
        XpbdConfig {
            substep: self.time.control_timestep / self.time.n_substeps as f64,
            // Exactly `n_substeps` substeps.
            max_courant: f64::INFINITY,
            gravity: [0.0, 0.0, -self.organ.gravity],
            drag: self.organ.drag,
            max_speed: self.organ.max_speed,
            ..XpbdConfig::default()
        }
    }
}

impl OrganSettings {
    fn check(&self) -> Result<(), EnvError> {
        Ok(check_ranges(
            "organ.",
            [
                ("edge", self.edge, [0.006, 0.04], "m"),
                ("young_modulus", self.young_modulus, [500.0, 1e6], "Pa"),
                ("poisson_ratio", self.poisson_ratio, [0.0, 0.49], ""),
                ("density", self.density, [100.0, 1e4], "kg/m³"),
                ("damping_time", self.damping_time, [0.0, 1.0], "s"),
                ("fixed_behind", self.fixed_behind, [-0.05, 0.05], "m"),
                ("gravity", self.gravity, [0.0, 20.0], "m/s²"),
                ("max_speed", self.max_speed, [1e-3, 1e4], "m/s"),
            ],
        )?)
    }

    /// The solver's material.
    pub(super) fn material(&self) -> Material {
        Material {
            young_modulus: self.young_modulus,
            poisson_ratio: self.poisson_ratio,
            density: self.density,
            ..Material::default()
        }
    }
}

impl InstrumentSettings {
    /// Checks the settings. `trocar` is the name of the field that holds the trocar.
    fn check(&self, trocar: &str) -> Result<(), EnvError> {
        let least_clamp = 2.5 * self.clamp_radius;
        check_ranges(
            "instrument.",
            [
                ("step", self.step, [1e-5, 0.05], "m"),
                ("shaft_radius", self.shaft_radius, [5e-4, 0.02], "m"),
                ("clamp_radius", self.clamp_radius, [2e-4, 0.01], "m"),
                ("clamp_length", self.clamp_length, [least_clamp, 0.1], "m"),
                ("grasp_radius", self.grasp_radius, [1e-4, 0.05], "m"),
                (
                    "release_opening",
                    self.release_opening,
                    [CLOSED / OPEN, 1.0],
                    "",
                ),
                ("friction", self.friction, [0.0, 10.0], ""),
            ],
        )?;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let range = [self.workspace_low[axis], self.workspace_high[axis]];
            check_interval(
                &format!("instrument.workspace along {name}"),
                range,
                [-1.0, 1.0],
                "m",
            )?;
        }
        check_vector(trocar, self.trocar, [-1.0, 1.0], "m")?;
        // The direction of the shaft is undefined at the trocar itself.
        let least = self.workspace_high[2] + 2.0 * self.clamp_length;
        Ok(check_range(
            &format!("{trocar} along z"),
            self.trocar[2],
            [least, 1.0],
            "m",
        )?)
    }

    /// Geometry for the solver.
    pub(super) fn geometry(&self) -> GripperGeometry {
        GripperGeometry {
            shaft_radius: self.shaft_radius,
            shaft_length: 0.3,
            clamp_radius: self.clamp_radius,
            clamp_length: self.clamp_length,
            grasp_radius: self.grasp_radius,
            closed_angle: CLOSED,
            release_angle: self.release_opening * OPEN,
            friction: self.friction,
            ..GripperGeometry::default()
        }
    }
}

/// The clamps are closed below this angle [rad].
pub(super) const CLOSED: f64 = 3.0 * std::f64::consts::PI / 180.0;

/// Maximum angle between the clamps [rad].
pub(super) const OPEN: f64 = 30.0 * std::f64::consts::PI / 180.0;

//! Ranges of the random parameters.

use insonate_settings::{check_interval, check_range};
use serde::{Deserialize, Serialize};

use crate::EnvError;

/// Ranges `[low, high]` for the uniform distribution of each episode. A single number is a range of zero width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomizationSettings {
    /// Stiffness of the torso at the probe [N/m]. The thesis: 1300 to 1600.
    pub stiffness: [f64; 2],
    /// Damping of the torso at the probe [N·s/m]. The thesis: 17 to 41.
    pub damping: [f64; 2],
    /// Friction coefficient of the skin. Gel lowers it.
    pub friction: [f64; 2],
    /// Size of the torso relative to its default size.
    pub size: [f64; 2],
    /// Number of compiled sizes within that range.
    pub n_sizes: usize,
    /// Position of the torso relative to its default position [m]: across the table.
    pub torso_x: [f64; 2],
    /// Position along the table [m].
    pub torso_y: [f64; 2],
    /// Position upwards [m].
    pub torso_z: [f64; 2],
    /// Rotation of the torso about the vertical [rad].
    pub torso_yaw: [f64; 2],
    /// Whether the torso breathes.
    pub breathing: bool,
    /// Breathing rate [Hz]. Adults at rest: 0.2 to 0.33.
    pub breathing_rate: [f64; 2],
    /// Rise of the surface from expiration to inspiration [m].
    pub breathing_amplitude: [f64; 2],
    /// Rate of the patient's motion [Hz].
    pub patient_rate: [f64; 2],
    /// Amplitude of the patient's motion across and along the table [m]. 0: the patient lies still.
    pub patient_amplitude: [f64; 2],
    /// Initial height of the probe above the skin [m].
    pub start_height: [f64; 2],
    /// Horizontal offset of the probe from its start position, along x and y [m].
    pub start_offset: [f64; 2],
    /// Standard deviation of the measured force per control step [N].
    pub force_noise: [f64; 2],
    /// Bias of the measured force along the probe's axis at the start of the episode [N].
    pub force_bias: [f64; 2],
    /// Rate at which that bias changes [N/s].
    #[serde(default)]
    pub force_drift: [f64; 2],
    /// Delay of the measured force and torque [s].
    #[serde(default)]
    pub force_delay: [f64; 2],
    /// Standard deviation of the measured torque [N·m].
    pub torque_noise: [f64; 2],
    /// Action latency [control steps].
    pub latency: [usize; 2],
    /// Desired force [N].
    pub force: [f64; 2],
    /// First and last patient: offsets of the organs' seed from `observation.ultrasound.seed`. At most 64 patients; only for
    /// tasks with ultrasound.
    #[serde(default)]
    pub organs: [usize; 2],
}

impl Default for RandomizationSettings {
    fn default() -> Self {
        Self {
            stiffness: [1300.0, 1600.0],
            damping: [17.0, 41.0],
            friction: [0.01, 0.01],
            size: [1.0, 1.0],
            n_sizes: 1,
            torso_x: [0.0, 0.0],
            torso_y: [0.0, 0.0],
            torso_z: [0.0, 0.0],
            torso_yaw: [0.0, 0.0],
            breathing: false,
            breathing_rate: [0.2, 0.33],
            breathing_amplitude: [0.004, 0.012],
            patient_rate: [0.1, 0.3],
            patient_amplitude: [0.0, 0.0],
            start_height: [0.002, 0.008],
            start_offset: [-0.004, 0.004],
            force_noise: [0.0, 0.0],
            force_bias: [0.0, 0.0],
            force_drift: [0.0, 0.0],
            force_delay: [0.0, 0.0],
            torque_noise: [0.0, 0.0],
            latency: [0, 0],
            force: [5.0, 5.0],
            organs: [0, 0],
        }
    }
}

/// A random parameter of an episode.
pub(super) struct Parameter {
    /// Name of the setting that holds its range.
    pub(super) setting: &'static str,
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// Minimum and maximum value in settings and options.
    bounds: [f64; 2],
}

const fn parameter(
    setting: &'static str,
    name: &'static str,
    unit: &'static str,
    bounds: [f64; 2],
) -> Parameter {
    Parameter {
        setting,
        name,
        unit,
        bounds,
    }
}

/// All parameters, in the order of drawing.
pub(super) const PARAMETERS: [Parameter; 26] = [
    parameter("stiffness", "torso.stiffness", "N/m", [50.0, 20_000.0]),
    parameter("damping", "torso.damping", "N·s/m", [0.1, 500.0]),
    parameter("friction", "torso.friction", "1", [0.0, 2.0]),
    parameter("size", "torso.size", "1", [0.5, 2.0]),
    parameter("torso_x", "torso.x", "m", [-0.3, 0.3]),
    parameter("torso_y", "torso.y", "m", [-0.3, 0.3]),
    parameter("torso_z", "torso.z", "m", [-0.2, 0.2]),
    parameter("torso_yaw", "torso.yaw", "rad", [-3.2, 3.2]),
    parameter("breathing_rate", "breathing.rate", "Hz", [0.01, 2.0]),
    parameter(
        "breathing_amplitude",
        "breathing.amplitude",
        "m",
        [0.0, 0.05],
    ),
    parameter("breathing_phase", "breathing.phase", "rad", [0.0, 6.3]),
    parameter("patient_rate", "patient.rate", "Hz", [0.0, 2.0]),
    parameter("patient_amplitude", "patient.amplitude_x", "m", [-0.1, 0.1]),
    parameter("patient_amplitude", "patient.amplitude_y", "m", [-0.1, 0.1]),
    parameter("patient_phase", "patient.phase", "rad", [0.0, 6.3]),
    parameter("start_height", "start.height", "m", [0.0, 0.3]),
    parameter("start_offset", "start.x", "m", [-0.1, 0.1]),
    parameter("start_offset", "start.y", "m", [-0.1, 0.1]),
    parameter("force_noise", "sensor.force_noise", "N", [0.0, 10.0]),
    parameter("force_bias", "sensor.force_bias", "N", [-20.0, 20.0]),
    parameter("torque_noise", "sensor.torque_noise", "N·m", [0.0, 10.0]),
    parameter("latency", "action.latency", "steps", [0.0, 50.0]),
    parameter("force", "force.target", "N", [0.1, 40.0]),
    parameter("organs", "organs.seed", "1", [0.0, 1e6]),
    parameter("force_drift", "sensor.force_drift", "N/s", [-5.0, 5.0]),
    parameter("force_delay", "sensor.force_delay", "s", [0.0, 0.5]),
];

impl RandomizationSettings {
    /// The intervals in the order of the parameters.
    pub(super) fn intervals(&self) -> [[f64; 2]; PARAMETERS.len()] {
        [
            self.stiffness,
            self.damping,
            self.friction,
            self.size,
            self.torso_x,
            self.torso_y,
            self.torso_z,
            self.torso_yaw,
            self.breathing_rate,
            self.breathing_amplitude,
            [0.0, std::f64::consts::TAU],
            self.patient_rate,
            self.patient_amplitude,
            self.patient_amplitude,
            [0.0, std::f64::consts::TAU],
            self.start_height,
            self.start_offset,
            self.start_offset,
            self.force_noise,
            self.force_bias,
            self.torque_noise,
            self.latency.map(|steps| steps as f64),
            self.force,
            self.organs.map(|seed| seed as f64),
            self.force_drift,
            self.force_delay,
        ]
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        for (interval, parameter) in self.intervals().into_iter().zip(PARAMETERS) {
            let field = format!("randomization.{}", parameter.setting);
            let [least, most] = parameter.bounds;
            check_interval(&field, interval, [least, most], "")?;
        }
        let n_patients = 1 + self.organs[1] - self.organs[0];
        check_range(
            "patients in randomization.organs",
            n_patients as f64,
            [1.0, 64.0],
            "",
        )?;
        Ok(check_range(
            "randomization.n_sizes",
            self.n_sizes as f64,
            [1.0, 64.0],
            "",
        )?)
    }

    /// The compiled sizes, evenly spaced.
    pub fn sizes(&self) -> Vec<f64> {
        let [low, high] = self.size;
        let n = if low == high { 1 } else { self.n_sizes };
        (0..n)
            .map(|i| low + (high - low) * (i as f64 + 0.5) / n as f64)
            .collect()
    }

    pub(super) fn nearest_size(&self, size: f64) -> f64 {
        self.sizes()
            .into_iter()
            .min_by(|a, b| (a - size).abs().total_cmp(&(b - size).abs()))
            .unwrap_or(size)
    }

    /// The value of a fixed parameter, if it is allowed.
    pub(super) fn fixed(&self, parameter: &Parameter, value: f64) -> Result<f64, EnvError> {
        let [least, most] = parameter.bounds;
        check_range(parameter.name, value, [least, most], "")?;
        Ok(match parameter.name {
            "torso.size" => self.nearest_size(value),
            "action.latency" | "organs.seed" => value.round(),
            _ => value,
        })
    }
}

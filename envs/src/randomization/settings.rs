//! Ranges of the random parameters.

use serde::{Deserialize, Serialize};

use crate::EnvError;
use crate::settings::{check_interval, check_range};

/// Ranges `[low, high]` from which each episode draws evenly; one number is a range of no width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomizationSettings {
    /// Stiffness of the torso at the probe [N/m]. The thesis: 1300 to 1600.
    pub stiffness: [f64; 2],
    /// Damping of the torso at the probe [N·s/m]. The thesis: 17 to 41.
    pub damping: [f64; 2],
    /// Friction coefficient of the skin; gel makes it small.
    pub friction: [f64; 2],
    /// Size of the torso over its usual size.
    pub size: [f64; 2],
    /// How many sizes within that range are compiled.
    pub n_sizes: usize,
    /// Where the torso stands against its usual place [m]: across the table, along it, up.
    pub torso_x: [f64; 2],
    /// Along the table [m].
    pub torso_y: [f64; 2],
    /// Up [m].
    pub torso_z: [f64; 2],
    /// How the torso is turned about the vertical [rad].
    pub torso_yaw: [f64; 2],
    /// Whether the torso breathes.
    pub breathing: bool,
    /// Breaths per second [Hz]; adults at rest 0.2 to 0.33.
    pub breathing_rate: [f64; 2],
    /// Rise of the surface from breathed out to breathed in [m].
    pub breathing_amplitude: [f64; 2],
    /// Rate of the patient's motion [Hz].
    pub patient_rate: [f64; 2],
    /// Amplitude of the patient's motion across and along the table [m]; 0: the patient lies still.
    pub patient_amplitude: [f64; 2],
    /// Height of the probe above its start on the skin [m].
    pub start_height: [f64; 2],
    /// How far beside its start the probe stands, along x and y [m].
    pub start_offset: [f64; 2],
    /// Standard deviation of the measured force in each control step [N].
    pub force_noise: [f64; 2],
    /// Error of the measured force along the probe's axis for the whole episode [N].
    pub force_bias: [f64; 2],
    /// Standard deviation of the measured torque [N·m].
    pub torque_noise: [f64; 2],
    /// Control steps by which actions come late.
    pub latency: [usize; 2],
    /// Force asked for [N].
    pub force: [f64; 2],
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
            torque_noise: [0.0, 0.0],
            latency: [0, 0],
            force: [5.0, 5.0],
        }
    }
}

/// Allowed least and greatest of each interval, in the order of the parameters.
const BOUNDS: [(&str, &str, [f64; 2]); 23] = [
    ("stiffness", "torso.stiffness", [50.0, 20_000.0]),
    ("damping", "torso.damping", [0.1, 500.0]),
    ("friction", "torso.friction", [0.0, 2.0]),
    ("size", "torso.size", [0.5, 2.0]),
    ("torso_x", "torso.x", [-0.3, 0.3]),
    ("torso_y", "torso.y", [-0.3, 0.3]),
    ("torso_z", "torso.z", [-0.2, 0.2]),
    ("torso_yaw", "torso.yaw", [-3.2, 3.2]),
    ("breathing_rate", "breathing.rate", [0.01, 2.0]),
    ("breathing_amplitude", "breathing.amplitude", [0.0, 0.05]),
    ("breathing_phase", "breathing.phase", [0.0, 6.3]),
    ("patient_rate", "patient.rate", [0.0, 2.0]),
    ("patient_amplitude", "patient.amplitude_x", [-0.1, 0.1]),
    ("patient_amplitude", "patient.amplitude_y", [-0.1, 0.1]),
    ("patient_phase", "patient.phase", [0.0, 6.3]),
    ("start_height", "start.height", [0.0, 0.3]),
    ("start_offset", "start.x", [-0.1, 0.1]),
    ("start_offset", "start.y", [-0.1, 0.1]),
    ("force_noise", "sensor.force_noise", [0.0, 10.0]),
    ("force_bias", "sensor.force_bias", [-20.0, 20.0]),
    ("torque_noise", "sensor.torque_noise", [0.0, 10.0]),
    ("latency", "action.latency", [0.0, 50.0]),
    ("force", "force.target", [0.1, 40.0]),
];

impl RandomizationSettings {
    /// The intervals in the order of the parameters.
    pub(super) fn intervals(&self) -> [[f64; 2]; 23] {
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
        ]
    }

    /// Fails for ranges that cannot be.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        for (interval, (field, _, [least, most])) in self.intervals().into_iter().zip(BOUNDS) {
            check_interval(&format!("randomization.{field}"), interval, least, most)?;
        }
        check_range("randomization.n_sizes", self.n_sizes as f64, 1.0, 64.0)
    }

    /// The sizes that are compiled, evenly spaced.
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

    /// The value that a parameter is fixed at, if it is allowed.
    pub(super) fn fixed(&self, name: &str, value: f64) -> Result<f64, EnvError> {
        let bounds = BOUNDS.iter().find(|(_, parameter, _)| *parameter == name);
        if let Some((_, _, [least, most])) = bounds {
            check_range(name, value, *least, *most)?;
        }
        Ok(match name {
            "torso.size" => self.nearest_size(value),
            "action.latency" => value.round(),
            _ => value,
        })
    }
}

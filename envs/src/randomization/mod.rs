//! Domain randomisation: softness, friction, pose and size of the torso, breathing, the patient's motion, the probe's start, the
//! sensor, latency.
//!
//! Every number is drawn from the episode's seed in a fixed order, can be fixed by name, and is listed with the episode.

mod settings;

use std::f64::consts::TAU;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

pub use settings::RandomizationSettings;

use settings::PARAMETERS;

use crate::{EnvError, ResetOptions};

/// The random parameters of one episode.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EpisodeParameters {
    /// Stiffness [N/m] and damping [N·s/m] of the torso at the probe.
    pub softness: [f64; 2],
    /// Friction coefficient of the skin.
    pub friction: f64,
    /// Size of the torso over its usual size; one of the scenes that were compiled.
    pub size: f64,
    /// Where the torso stands against its usual place [m].
    pub torso_position: [f64; 3],
    /// How the torso is turned about the vertical [rad].
    pub torso_yaw: f64,
    /// Breaths per second [Hz] and rise of the surface [m]; none without breathing.
    pub breathing: [f64; 2],
    /// Where in the breath the episode starts [rad]: 0 breathed out, π breathed in.
    pub breathing_phase: f64,
    /// Rate of the patient's motion [Hz].
    pub patient_rate: f64,
    /// Amplitude of the patient's motion across and along the table [m].
    pub patient_amplitude: [f64; 2],
    /// Where in its period the motion starts [rad].
    pub patient_phase: f64,
    /// Height of the probe above its start on the skin [m].
    pub start_height: f64,
    /// How far beside its start the probe stands [m].
    pub start_offset: [f64; 2],
    /// Standard deviation of the measured force [N] in each control step and axis.
    pub force_noise: f64,
    /// Error of the measured force along the probe's axis, for the whole episode [N].
    pub force_bias: f64,
    /// Standard deviation of the measured torque [N·m].
    pub torque_noise: f64,
    /// Control steps by which actions come late.
    pub latency: usize,
    /// Force asked for [N].
    pub force: f64,
    /// Which patient: the seed of the organs after `observation.ultrasound.seed`.
    pub organs: u64,
}

/// The parameters that make a difference in a scene; the others are neither listed nor can they be fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveParameters([bool; PARAMETERS.len()]);

impl ActiveParameters {
    /// The parameters whose names start with one of these.
    pub fn of(prefixes: &[&str]) -> Self {
        Self(PARAMETERS.map(|p| prefixes.iter().any(|prefix| p.name.starts_with(prefix))))
    }

    /// Names with units, as [`crate::EnvSpec::parameters`] lists them.
    pub fn names(&self) -> Vec<String> {
        self.listed()
            .map(|place| format!("{} [{}]", PARAMETERS[place].name, PARAMETERS[place].unit))
            .collect()
    }

    /// Places of the listed parameters.
    fn listed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..PARAMETERS.len()).filter(|&place| self.0[place])
    }
}

impl EpisodeParameters {
    /// Draws all parameters and lists those in active; those in `options` are fixed, and draw their number all the same, so that
    /// the others stay.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for an option that is no parameter in active; [`EnvError::Config`] for a value out of range.
    pub fn draw(
        settings: &RandomizationSettings,
        active: &ActiveParameters,
        options: &ResetOptions,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Self, Vec<f64>), EnvError> {
        let intervals = settings.intervals();
        let mut values: Vec<f64> = intervals
            .iter()
            .zip(PARAMETERS)
            .map(|(interval, parameter)| {
                // Drawn even where it makes no difference: the stream stays the same. The last came later.
                let is_late = parameter.name == "organs.seed" && interval[0] == interval[1];
                let share: f64 = if is_late { 0.0 } else { rng.random() };
                match parameter.name {
                    "torso.size" => {
                        settings.nearest_size(interval[0] + (interval[1] - interval[0]) * share)
                    }
                    "breathing.phase" | "patient.phase" => TAU * share,
                    "action.latency" | "organs.seed" => {
                        let steps = interval[1] - interval[0] + 1.0;
                        interval[0] + (share * steps).floor().min(steps - 1.0)
                    }
                    _ => interval[0] + (interval[1] - interval[0]) * share,
                }
            })
            .collect();
        for (name, &value) in &options.parameters {
            let place = active
                .listed()
                .find(|&place| PARAMETERS[place].name == name);
            let place = place.ok_or_else(|| {
                let known: Vec<&str> = active
                    .listed()
                    .map(|place| PARAMETERS[place].name)
                    .collect();
                EnvError::unknown("parameter", name, &known)
            })?;
            values[place] = settings.fixed(&PARAMETERS[place], value)?;
        }
        let listed = active.listed().map(|place| values[place]).collect();
        Ok((Self::of(&values), listed))
    }

    fn of(values: &[f64]) -> Self {
        let [
            stiffness,
            damping,
            friction,
            size,
            x,
            y,
            z,
            yaw,
            rate,
            amplitude,
            breathing_phase,
            patient_rate,
            patient_x,
            patient_y,
            phase,
            height,
            start_x,
            start_y,
            noise,
            bias,
            torque_noise,
            latency,
            force,
            organs,
        ] = values
        else {
            unreachable!("one value was drawn for each parameter")
        };
        Self {
            softness: [*stiffness, *damping],
            friction: *friction,
            size: *size,
            torso_position: [*x, *y, *z],
            torso_yaw: *yaw,
            breathing: [*rate, *amplitude],
            breathing_phase: *breathing_phase,
            patient_rate: *patient_rate,
            patient_amplitude: [*patient_x, *patient_y],
            patient_phase: *phase,
            start_height: *height,
            start_offset: [*start_x, *start_y],
            force_noise: *noise,
            force_bias: *bias,
            torque_noise: *torque_noise,
            latency: *latency as usize,
            force: *force,
            organs: *organs as u64,
        }
    }
}

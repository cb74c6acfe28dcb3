//! Domain randomisation: softness, friction, pose and size of the torso, breathing, the patient's motion, the probe's start, the
//! sensor, latency.
//!
//! All numbers are drawn from the episode's seed in a fixed order, can be fixed by name, and are listed with the episode.

mod settings;

use std::f64::consts::TAU;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

pub use settings::RandomizationSettings;

use settings::PARAMETERS;

use crate::{EnvError, ResetOptions};

/// Parameters that were added later: without a range they draw no number, so that earlier seeds give the same episodes.
const LATE: [&str; 3] = ["organs.seed", "sensor.force_drift", "sensor.force_delay"];

/// The random parameters of one episode.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EpisodeParameters {
    /// Stiffness [N/m] and damping [N·s/m] of the torso at the probe.
    pub softness: [f64; 2],
    /// Friction coefficient of the skin.
    pub friction: f64,
    /// Size of the torso relative to its default size. One of the compiled sizes.
    pub size: f64,
    /// Position of the torso relative to its default position [m].
    pub torso_position: [f64; 3],
    /// Rotation of the torso about the vertical [rad].
    pub torso_yaw: f64,
    /// Breathing rate [Hz] and rise of the surface [m]. Zero without breathing.
    pub breathing: [f64; 2],
    /// Phase of the breath at the start of the episode [rad]: 0 at full expiration, π at full inspiration.
    pub breathing_phase: f64,
    /// Rate of the patient's motion [Hz].
    pub patient_rate: f64,
    /// Amplitude of the patient's motion across and along the table [m].
    pub patient_amplitude: [f64; 2],
    /// Phase of the motion at the start [rad].
    pub patient_phase: f64,
    /// Initial height of the probe above the skin [m].
    pub start_height: f64,
    /// Horizontal offset of the probe from its start position [m].
    pub start_offset: [f64; 2],
    /// Standard deviation of the measured force [N], per control step and axis.
    pub force_noise: f64,
    /// Bias of the measured force along the probe's axis at the start [N].
    pub force_bias: f64,
    /// Rate of that bias [N/s].
    pub force_drift: f64,
    /// Delay of the measured force and torque [s].
    pub force_delay: f64,
    /// Standard deviation of the measured torque [N·m].
    pub torque_noise: f64,
    /// Action latency [control steps].
    pub latency: usize,
    /// Desired force [N].
    pub force: f64,
    /// Patient: offset of the organs' seed from `observation.ultrasound.seed`.
    pub organs: u64,
}

/// The parameters that have an effect in a scene. The others are not listed and cannot be fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveParameters([bool; PARAMETERS.len()]);

impl ActiveParameters {
    /// The parameters whose names start with one of these prefixes.
    pub fn of(prefixes: &[&str]) -> Self {
        Self(PARAMETERS.map(|p| prefixes.iter().any(|prefix| p.name.starts_with(prefix))))
    }

    /// Names with units, as in [`crate::EnvSpec::parameters`].
    pub fn names(&self) -> Vec<String> {
        self.listed()
            .map(|place| format!("{} [{}]", PARAMETERS[place].name, PARAMETERS[place].unit))
            .collect()
    }

    /// Index of the parameter with a name, such as `torso.stiffness`, or with the name of the setting that holds its range, such as
    /// `stiffness`, if it is the only one.
    fn find(&self, name: &str) -> Result<usize, EnvError> {
        if let Some(place) = self.listed().find(|&place| PARAMETERS[place].name == name) {
            return Ok(place);
        }
        let mut of_setting = self
            .listed()
            .filter(|&place| PARAMETERS[place].setting == name);
        if let (Some(place), None) = (of_setting.next(), of_setting.next()) {
            return Ok(place);
        }
        let known: Vec<&str> = self.listed().map(|place| PARAMETERS[place].name).collect();
        Err(EnvError::unknown("parameter", name, &known))
    }

    /// Indices of the listed parameters.
    fn listed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..PARAMETERS.len()).filter(|&place| self.0[place])
    }
}

impl EpisodeParameters {
    /// Draws all parameters and lists the active ones. Parameters in `options` are fixed, but their numbers are still drawn, so that the
    /// others do not change.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] if an option is not an active parameter; [`EnvError::Config`] if a value is out of range, or an option
    /// names a parameter twice.
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
                // Drawn even without effect, so that the stream stays the same. Some parameters were added later.
                let is_skipped = LATE.contains(&parameter.name) && interval[0] == interval[1];
                let share: f64 = if is_skipped { 0.0 } else { rng.random() };
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
        let mut fixed = [false; PARAMETERS.len()];
        for (name, &value) in &options.parameters {
            let place = active.find(name)?;
            if std::mem::replace(&mut fixed[place], true) {
                return Err(EnvError::Config {
                    field: name.clone(),
                    problem: format!(
                        "is another name of {}: give one of them",
                        PARAMETERS[place].name
                    ),
                });
            }
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
            drift,
            delay,
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
            force_drift: *drift,
            force_delay: *delay,
            torque_noise: *torque_noise,
            latency: *latency as usize,
            force: *force,
            organs: *organs as u64,
        }
    }
}

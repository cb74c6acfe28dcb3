//! Common parts of tasks with ultrasound of an adult patient: settings, start, and the path over the skin.

use insonate_settings::check_range;
use insonate_sim::Pose;
use insonate_sim::verdict::VerdictLimits;
use nalgebra::Vector3;

use super::kind::Assignments;
use crate::EnvError;
use crate::actions::{ActionSettings, HybridMotionSettings};
use crate::probe::{
    Goal, ObservationSettings, ProbeTaskSettings, SceneSettings, SceneState, TimeSettings,
};
use crate::randomization::{EpisodeParameters, RandomizationSettings};
use crate::ultrasound::UltrasoundSettings;

/// Settings of PPO and SAC: images are large and steps are expensive, so few samples, each used often.
pub(super) const PPO: Assignments = &[
    ("total_timesteps", "60_000"),
    ("n_envs", "16"),
    ("n_steps", "64"),
    ("n_minibatches", "8"),
    ("learning_rate", "1e-3"),
    ("discount", "0.9"),
    ("gae_lambda", "0.9"),
    ("log_std_init", "-0.7"),
];
pub(super) const SAC: Assignments = &[
    ("total_timesteps", "20_000"),
    ("n_steps", "100"),
    ("buffer_size", "20_000"),
    ("discount", "0.9"),
];

/// Maximum number of draws for a start that the arm can reach.
const N_TRIES: usize = 32;

/// Settings with a time limit [s], motion over the skin and readings.
pub(super) fn defaults<S>(
    limit: f64,
    hybrid_motion: HybridMotionSettings,
    ultrasound: UltrasoundSettings,
    task: S,
) -> ProbeTaskSettings<S> {
    ProbeTaskSettings {
        time: TimeSettings {
            control_timestep: 0.1,
            limit,
        },
        scene: SceneSettings {
            robot: "ur5e".to_owned(),
            shape: "adult".to_owned(),
            ..SceneSettings::default()
        },
        action: ActionSettings {
            hybrid_motion,
            ..ActionSettings::of_mode("hybrid_motion")
        },
        observation: ObservationSettings {
            joints: false,
            ultrasound,
            ..ObservationSettings::default()
        },
        randomization: RandomizationSettings {
            stiffness: [900.0, 2000.0],
            damping: [15.0, 45.0],
            friction: [0.0, 0.1],
            start_height: [0.001, 0.003],
            start_offset: [0.0, 0.0],
            organs: [0, 15],
            ..RandomizationSettings::default()
        },
        task,
        verdict: VerdictLimits::default(),
    }
}

/// Checks that there is at least one reading.
///
/// # Errors
/// [`EnvError::Config`].
pub(super) fn check_readings(ultrasound: &UltrasoundSettings) -> Result<(), EnvError> {
    Ok(check_range(
        "number of observation.ultrasound.readings",
        ultrasound.readings.len() as f64,
        [1.0, 5.0],
        "",
    )?)
}

/// The action mode settings for a script, if the mode is enabled.
pub(super) fn script(action: &ActionSettings) -> Option<HybridMotionSettings> {
    (action.mode == "hybrid_motion").then(|| action.hybrid_motion.clone())
}

/// Places the probe above the first drawn start that is on the skin, that the arm can reach without touching itself or something else, and
/// from which it can reach `onward`.
///
/// # Errors
/// The error of the last draw; [`EnvError::Config`] with a field and its problem if no draw was on the skin.
pub(super) fn place(
    state: &mut SceneState,
    episode: &EpisodeParameters,
    onward: Option<&Pose>,
    [field, problem]: [&str; 2],
    mut draw: impl FnMut(&SceneState) -> Option<Goal>,
) -> Result<(), EnvError> {
    let mut placed = Err(EnvError::Config {
        field: field.to_owned(),
        problem: problem.to_owned(),
    });
    for _ in 0..N_TRIES {
        let Some(goal) = draw(state) else {
            continue;
        };
        state.goal = goal;
        placed = match onward {
            Some(end) => state.place_with_reachable_path(episode, end),
            None => state.place_above(episode),
        };
        placed = placed.and_then(|()| state.check_start());
        if placed.is_ok() {
            break;
        }
    }
    placed
}

/// Path of the face in the torso's frame since first contact.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Path {
    last: Option<Vector3<f64>>,
    length: f64,
}

impl Path {
    /// Extends the path to the current position of the face.
    pub(super) fn follow(&mut self, state: &SceneState) {
        if state.probe.in_contact || self.last.is_some() {
            let here = state.torso_from_probe().translation.vector;
            let before = self.last.replace(here).unwrap_or(here);
            self.length += (here - before).norm();
        }
    }

    /// Length [m].
    pub(super) fn length(&self) -> f64 {
        self.length
    }
}

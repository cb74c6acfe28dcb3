//! Common settings of tasks with a probe.

use insonate_settings::check_range;
use insonate_sim::verdict::VerdictLimits;
use serde::{Deserialize, Serialize};

use super::{ObservationSettings, SceneSettings};
use crate::EnvError;
use crate::actions::ActionSettings;
use crate::randomization::RandomizationSettings;

/// Settings of a task with a probe: common settings and those of the task, `S`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTaskSettings<S> {
    /// Time.
    pub time: TimeSettings,
    /// Contents of the scene.
    pub scene: SceneSettings,
    /// Action mode and its settings.
    pub action: ActionSettings,
    /// Observed quantities.
    pub observation: ObservationSettings,
    /// Random variation between episodes.
    pub randomization: RandomizationSettings,
    /// Limits for a valid episode, as for a scan.
    #[serde(default)]
    pub verdict: VerdictLimits,
    /// Settings of the task.
    pub task: S,
}

/// Length of a step and of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSettings {
    /// Control timestep [s], a multiple of the physics timestep.
    pub control_timestep: f64,
    /// Time after which an episode is truncated [s].
    pub limit: f64,
}

impl Default for TimeSettings {
    fn default() -> Self {
        Self {
            control_timestep: 0.02,
            limit: 4.0,
        }
    }
}

impl<S> ProbeTaskSettings<S> {
    /// Physics steps per control step.
    ///
    /// # Errors
    /// [`EnvError::Config`] if the control timestep is not a multiple of the physics timestep.
    pub fn n_substeps(&self) -> Result<usize, EnvError> {
        let ratio = self.time.control_timestep / self.scene.timestep;
        let whole = ratio.round();
        if whole < 1.0 || (ratio - whole).abs() > 1e-6 * whole {
            return Err(EnvError::Config {
                field: "time.control_timestep".to_owned(),
                problem: format!(
                    "is {} s; it must be a multiple of scene.timestep = {} s",
                    self.time.control_timestep, self.scene.timestep
                ),
            });
        }
        Ok(whole as usize)
    }

    /// Control steps after which an episode is truncated.
    pub fn max_episode_steps(&self) -> usize {
        ((self.time.limit / self.time.control_timestep).round() as usize).max(1)
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`], [`EnvError::Unknown`], [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range(
            "time.control_timestep",
            self.time.control_timestep,
            [1e-4, 1.0],
            "s",
        )?;
        check_range("time.limit", self.time.limit, [0.02, 600.0], "s")?;
        self.scene.check()?;
        self.action.check()?;
        self.observation.check()?;
        self.randomization.check()?;
        self.n_substeps().map(|_| ())
    }
}

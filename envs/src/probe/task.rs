//! Interface of a task with a probe: start, goal, observation, reward and end. One task per file.

use insonate_sim::verdict::Judge;
use rand_chacha::ChaCha8Rng;

use crate::environment::EpisodeEnd;
use crate::probe::{ImagingTask, SceneState, WrenchMeasurement};
use crate::randomization::EpisodeParameters;
use crate::{BatchSeat, BoxSpace, EnvError, NamedValues};

/// A task in a scene with a probe.
///
/// Before [`ProbeTask::reset`] the state is reset, and softness and motion are set from the episode's parameters.
pub trait ProbeTask: Send {
    /// Weighted reward terms of a step.
    type Terms: NamedValues;

    /// Costs of a step, usually [`ContactCosts`](crate::probe::ContactCosts). `()`: none.
    type Costs: NamedValues;

    /// Metrics of an episode. `success` comes first.
    type Metrics: NamedValues;

    /// Entries of the observation that the task adds after those of the state.
    fn observation_space(&self) -> BoxSpace;

    /// Names of the reward terms.
    fn term_names(&self) -> Vec<&'static str> {
        Self::Terms::names()
    }

    /// Names of the costs.
    fn cost_names(&self) -> Vec<&'static str> {
        Self::Costs::names()
    }

    /// Names of the metrics.
    fn metric_names(&self) -> Vec<&'static str> {
        Self::Metrics::names()
    }

    /// The place in a task that computes for all environments at once. `None`: this task computes by itself.
    fn batch(&mut self) -> Option<&mut BatchSeat> {
        None
    }

    /// Starts an episode: places the probe at its start and sets the goal.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if the start is out of reach.
    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError>;

    /// Moves the goal, before each physics step.
    fn before_substep(&mut self, state: &mut SceneState);

    /// Records the state, after each physics step.
    fn after_substep(&mut self, state: &SceneState);

    /// This task as one that evaluates ultrasound frames. `None`: it does not.
    fn imaging(&mut self) -> Option<&mut dyn ImagingTask> {
        None
    }

    /// Writes the task's own entries of the observation.
    fn observe(&self, state: &SceneState, observation: &mut [f32]);

    /// The weighted reward terms of the finished control step. `action` is the requested action.
    fn reward(&mut self, state: &SceneState, action: &[f32]) -> Self::Terms;

    /// The costs of the finished control step.
    fn costs(&mut self) -> Self::Costs {
        Self::Costs::default()
    }

    /// Whether the robot must stop immediately, within the control step. [`ProbeTask::end`] gives the reason.
    fn stops(&self) -> bool {
        false
    }

    /// Whether and why the episode ends now.
    fn end(&self, state: &SceneState) -> Option<EpisodeEnd>;

    /// Judges the finished episode by the `verdict` settings and the task's rules, unless a failure ended it.
    fn judge(&self, judge: Judge) -> Judge {
        judge
    }

    /// The episode's metrics so far. NaN: not yet known.
    fn metrics(&self) -> Self::Metrics;

    /// Writes the action of the task's scripted policy. Returns `false` if the task has none (the zero action is used).
    fn scripted_action(
        &mut self,
        _state: &SceneState,
        _measured: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        action.fill(0.0);
        true
    }
}

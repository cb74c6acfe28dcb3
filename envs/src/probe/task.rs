//! What a task must say: the world's start, the goal, observation, reward and end. One task per file.

use insonate_sim::verdict::Judge;
use nalgebra::Isometry3;
use rand_chacha::ChaCha8Rng;

use crate::environment::EpisodeEnd;
use crate::probe::{Goal, SceneState, WrenchMeasurement};
use crate::randomization::EpisodeParameters;
use crate::ultrasound::Sight;
use crate::{BoxSpace, EnvError};

/// What to do in a scene in which a probe is moved.
///
/// The state is reset, softened and moved as the episode's parameters say before [`ProbeTask::reset`].
pub trait ProbeTask: Send {
    /// Names of the weighted reward terms.
    fn reward_terms(&self) -> Vec<&'static str>;

    /// Names of what a step costs; usually [`ContactCosts::NAMES`](crate::probe::ContactCosts::NAMES).
    fn costs(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Names of the episode's figures; `success` comes first.
    fn metrics(&self) -> Vec<&'static str>;

    /// Entries of the observation that are the task's own, after those of the state.
    fn observation_space(&self) -> BoxSpace;

    /// Starts an episode: puts the probe to its start and sets the goal.
    ///
    /// # Errors
    /// [`EnvError::Sim`] where the arm does not reach.
    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError>;

    /// Moves the goal, before each physics step.
    fn before_substep(&mut self, state: &mut SceneState);

    /// Records what happened, after each physics step.
    fn after_substep(&mut self, state: &SceneState);

    /// Where a face would stand in the torso at rest, in the torso's frame, for frames by which the episode's are judged; asked for after
    /// each reset, where ultrasound is observed.
    fn reference_poses(&self, _state: &SceneState) -> Vec<Isometry3<f64>> {
        Vec::new()
    }

    /// Where a probe would be held, and how hard, for frames over about a breath by which the episode's are judged; asked for after each
    /// reset, where ultrasound is observed. The physics is stepped for them and begins anew.
    fn reference_hold(&self, _state: &SceneState) -> Option<Goal> {
        None
    }

    /// Judges such a frame, in the order of the poses, and those of the hold.
    fn see_reference(&mut self, _sight: &Sight) {}

    /// Judges the frame after a reset and after each control step, where ultrasound is observed.
    fn see(&mut self, _state: &SceneState, _sight: &Sight) {}

    /// Writes the task's own entries of the observation.
    fn observe(&self, state: &SceneState, observation: &mut [f32]);

    /// Writes the weighted reward terms of the control step that ended; `action` is the requested action.
    fn reward(&mut self, state: &SceneState, action: &[f32], terms: &mut [f64]);

    /// Writes what the control step that ended costs.
    fn cost(&mut self, costs: &mut [f64]) {
        costs.fill(0.0);
    }

    /// Whether the robot stops at once, within the control step; [`ProbeTask::end`] says why.
    fn stops(&self) -> bool {
        false
    }

    /// Whether the episode ends here.
    fn end(&self, state: &SceneState) -> Option<EpisodeEnd>;

    /// Judges the episode that is over by the settings' `verdict` and the task's own rules, unless a failure has ended it.
    fn judge(&self, judge: Judge) -> Judge {
        judge
    }

    /// Writes the episode's figures so far.
    fn write_metrics(&self, metrics: &mut [f64]);

    /// Writes the action of the task's own scripted policy; `false`: there is none beyond the zero action.
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

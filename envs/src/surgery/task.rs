//! Interface of a surgery task: spec, start, action, reward, end and observation.

use nalgebra::Vector3;

use super::model::SurgeryModel;
use super::state::SurgeryState;
use crate::environment::EpisodeEnd;
use crate::parameters::Parameter;
use crate::{BoxSpace, EnvError, NamedValues};

/// Spec of a surgery task.
#[derive(Debug, Clone)]
pub struct SurgeryTaskSpec {
    /// The task's name.
    pub id: &'static str,
    /// Observation space, without the force.
    pub observation_space: BoxSpace,
    /// Actions in addition to the motion.
    pub other_actions: BoxSpace,
    /// Random parameters of an episode.
    pub parameters: Vec<Parameter>,
}

/// A task with an organ and an instrument.
pub trait SurgeryTask: Send {
    /// Weighted reward terms of a step.
    type Terms: NamedValues;

    /// Metrics of an episode, `success` first. `peak_force_n` and the metrics of an arm are appended for all tasks.
    type Metrics: NamedValues;

    /// Spec of the task. It is constant.
    fn describe(&self, model: &SurgeryModel) -> SurgeryTaskSpec;

    /// Starts an episode with these random parameters, in the order of [`SurgeryTaskSpec::parameters`].
    ///
    /// # Errors
    /// [`EnvError::Config`] if parameters are invalid.
    fn reset(&mut self, state: &mut SurgeryState, parameters: &[f64]) -> Result<(), EnvError>;

    /// Opening of the clamps in the next step, as a fraction, for the actions in addition to the motion.
    fn openness(&mut self, state: &SurgeryState, other: &[f32]) -> f64;

    /// The weighted reward terms of the finished step.
    fn reward(&mut self, state: &SurgeryState) -> Self::Terms;

    /// Reason for the end of the episode after that step. `None`: it continues.
    fn end(&self) -> Option<EpisodeEnd>;

    /// Writes the observation.
    fn observe(&self, state: &SurgeryState, observation: &mut [f32]);

    /// The episode's metrics so far.
    fn metrics(&self, state: &SurgeryState) -> Self::Metrics;

    /// The scripted policy: writes the other actions and returns the displacement [m].
    fn scripted_action(&self, state: &SurgeryState, other: &mut [f32]) -> Vector3<f64>;

    /// Positions of the rendered marks, target and goal [m].
    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2];
}

//! What a task of surgery must say: spec, start, action, reward, end and observation.

use nalgebra::Vector3;

use super::model::SurgeryModel;
use super::state::SurgeryState;
use crate::environment::EpisodeEnd;
use crate::parameters::Parameter;
use crate::{BoxSpace, EnvError};

/// The spec of a task of surgery.
#[derive(Debug, Clone)]
pub struct SurgeryTaskSpec {
    /// The task's name.
    pub id: &'static str,
    /// What is observed, without the force.
    pub observation_space: BoxSpace,
    /// Actions besides moving.
    pub other_actions: BoxSpace,
    /// Names of the weighted reward terms.
    pub reward_terms: Vec<&'static str>,
    /// Names of the metrics, `success` first, without `peak_force_n` and those of an arm, which all have as the last.
    pub metrics: Vec<&'static str>,
    /// Random numbers of an episode.
    pub parameters: Vec<Parameter>,
}

/// What to do with an organ and an instrument.
pub trait SurgeryTask: Send {
    /// Its spec; the same for its whole life.
    fn describe(&self, model: &SurgeryModel) -> SurgeryTaskSpec;

    /// Starts an episode with these random numbers, in the order of [`SurgeryTaskSpec::parameters`].
    ///
    /// # Errors
    /// [`EnvError::Config`] for invalid numbers.
    fn reset(&mut self, state: &mut SurgeryState, parameters: &[f64]) -> Result<(), EnvError>;

    /// Before a step: how far the clamps open in it, as a share of the whole, by the actions besides moving.
    fn openness(&mut self, state: &SurgeryState, other: &[f32]) -> f64;

    /// Writes the weighted reward terms of the step just done.
    fn reward(&mut self, state: &SurgeryState, terms: &mut [f64]);

    /// Why the episode terminates after that step; none: it continues.
    fn end(&self) -> Option<EpisodeEnd>;

    /// Writes the observation.
    fn observe(&self, state: &SurgeryState, observation: &mut [f32]);

    /// Writes the metrics.
    fn write_metrics(&self, state: &SurgeryState, metrics: &mut [f64]);

    /// The scripted policy: writes the other actions and gives the displacement [m].
    fn scripted_action(&self, state: &SurgeryState, other: &mut [f32]) -> Vector3<f64>;

    /// Places to mark in pictures, target and goal [m].
    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2];
}

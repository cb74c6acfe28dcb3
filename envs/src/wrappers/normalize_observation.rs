//! Observations of mean 0 and variance 1.

use crate::moments::RunningMoments;
use crate::{Env, EnvError, EnvSpec, ResetOptions, Step};

/// Scales each observed number by running moments, cut to `±clip`.
///
/// Frozen moments keep episodes pure. Learning ones do not: what is observed then depends on all episodes before.
#[derive(Debug, Clone)]
pub struct NormalizeObservation<E> {
    env: E,
    spec: EnvSpec,
    moments: RunningMoments,
    clip: f64,
    is_learning: bool,
}

impl<E: Env> NormalizeObservation<E> {
    /// Scales by moments that stay as they are.
    ///
    /// # Errors
    /// [`EnvError::Length`] for moments of another observation; [`EnvError::Config`] unless `clip` is above 0.
    pub fn frozen(env: E, moments: RunningMoments, clip: f64) -> Result<Self, EnvError> {
        let mut spec = env.spec().clone();
        let space = &mut spec.observation_space;
        EnvError::check_length("moments", moments.dim(), space.len())?;
        if clip.is_nan() || clip <= 0.0 {
            return Err(EnvError::Config {
                field: "clip".to_owned(),
                problem: format!("is {clip}, but must be above 0"),
            });
        }
        space.low.fill(-clip as f32);
        space.high.fill(clip as f32);
        Ok(Self {
            env,
            spec,
            moments,
            clip,
            is_learning: false,
        })
    }

    /// Scales by moments that take in every observation before they scale it, as Gymnasium's wrapper; episodes are not pure.
    ///
    /// # Errors
    /// As [`NormalizeObservation::frozen`].
    pub fn learning(env: E, moments: RunningMoments, clip: f64) -> Result<Self, EnvError> {
        let mut wrapper = Self::frozen(env, moments, clip)?;
        wrapper.is_learning = true;
        Ok(wrapper)
    }

    /// Stops or goes on learning.
    pub fn set_learning(&mut self, is_learning: bool) {
        self.is_learning = is_learning;
    }

    /// The moments, to be saved with a policy.
    pub fn moments(&self) -> &RunningMoments {
        &self.moments
    }

    fn scale(&mut self, observation: &mut [f32]) {
        if self.is_learning {
            self.moments.update_batch(observation);
        }
        self.moments.normalize(observation, self.clip);
    }
}

impl<E: Env> Env for NormalizeObservation<E> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.env.reset(seed, options, observation)?;
        self.scale(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        let step = self.env.step(action, observation)?;
        self.scale(observation);
        Ok(step)
    }

    forward!(
        reward_terms,
        metrics,
        parameters,
        end_reason,
        scripted_action,
        scene
    );
}

//! An end after so many steps.

use crate::{EndReason, Env, EnvError, EnvSpec, ResetOptions, Step};

/// Truncates an episode after `n` steps, where it has not ended before.
#[derive(Debug, Clone)]
pub struct TimeLimit<E> {
    env: E,
    spec: EnvSpec,
    n: usize,
    n_done: usize,
}

impl<E: Env> TimeLimit<E> {
    /// Truncates after `n` steps.
    ///
    /// # Panics
    /// For `n` = 0.
    pub fn new(env: E, n: usize) -> Self {
        assert!(n > 0, "an episode has at least one step");
        let mut spec = env.spec().clone();
        spec.max_episode_steps = Some(spec.max_episode_steps.map_or(n, |steps| steps.min(n)));
        Self {
            env,
            spec,
            n,
            n_done: 0,
        }
    }

    fn is_up(&self) -> bool {
        self.n_done >= self.n
    }
}

impl<E: Env> Env for TimeLimit<E> {
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
        self.n_done = 0;
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        if self.is_up() {
            return Err(EnvError::Order("the episode is over: reset it"));
        }
        let mut step = self.env.step(action, observation)?;
        self.n_done += 1;
        // Both can hold, as in Gymnasium: a task that ends in its last step has terminated.
        step.truncated |= self.is_up();
        Ok(step)
    }

    fn end_reason(&self) -> Option<EndReason> {
        let limit = self.is_up().then_some(EndReason::TimeLimit);
        self.env.end_reason().or(limit)
    }

    forward!(reward_terms, metrics, parameters, scripted_action, scene);
}

//! Actions that come late.

use crate::{Env, EnvError, ResetOptions, Step};

/// Does each action some steps after it was asked for.
///
/// Until the first one arrives, the neutral action is done: zero, moved into the bounds.
#[derive(Debug, Clone)]
pub struct ActionLatency<E> {
    env: E,
    n_steps: usize,
    neutral: Vec<f32>,
    /// Actions on their way, a ring of shape `[n_steps, n_actions]`, and where its oldest one is.
    pending: Vec<f32>,
    oldest: usize,
    acting: Vec<f32>,
}

impl<E: Env> ActionLatency<E> {
    /// Delays actions by `n_steps` steps.
    pub fn new(env: E, n_steps: usize) -> Self {
        let space = &env.spec().action_space;
        let mut neutral = vec![0.0; space.len()];
        space.clip(&mut neutral);
        Self {
            env,
            n_steps,
            pending: neutral.repeat(n_steps),
            oldest: 0,
            acting: neutral.clone(),
            neutral,
        }
    }
}

impl<E: Env> Env for ActionLatency<E> {
    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.env.reset(seed, options, observation)?;
        for action in self.pending.chunks_exact_mut(self.neutral.len()) {
            action.copy_from_slice(&self.neutral);
        }
        self.oldest = 0;
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        if self.n_steps == 0 {
            return self.env.step(action, observation);
        }
        // Refused when asked for, not when it would act.
        self.env.spec().action_space.check("action", action)?;
        let n_actions = action.len();
        let slot = self.oldest * n_actions..(self.oldest + 1) * n_actions;
        self.acting.copy_from_slice(&self.pending[slot.clone()]);
        let step = self.env.step(&self.acting, observation)?;
        self.pending[slot].copy_from_slice(action);
        self.oldest = (self.oldest + 1) % self.n_steps;
        Ok(step)
    }

    forward!(
        spec,
        reward_terms,
        metrics,
        parameters,
        end_reason,
        scripted_action,
        scene
    );
}

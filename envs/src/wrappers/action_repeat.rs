//! One decision for several steps.

use crate::{Env, EnvError, EnvSpec, ResetOptions, Step};

/// Does each action `n` times and sums the rewards; stops where the episode ends.
#[derive(Debug, Clone)]
pub struct ActionRepeat<E> {
    env: E,
    n: usize,
    spec: EnvSpec,
    terms: Vec<f64>,
}

impl<E: Env> ActionRepeat<E> {
    /// Repeats each action `n` times.
    ///
    /// # Panics
    /// For `n` = 0.
    pub fn new(env: E, n: usize) -> Self {
        assert!(n > 0, "an action is done at least once");
        let mut spec = env.spec().clone();
        spec.control_timestep *= n as f64;
        spec.n_substeps *= n;
        spec.max_episode_steps = spec.max_episode_steps.map(|steps| steps.div_ceil(n));
        Self {
            terms: vec![0.0; spec.reward_terms.len()],
            env,
            n,
            spec,
        }
    }
}

impl<E: Env> Env for ActionRepeat<E> {
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
        self.terms.fill(0.0);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        // A bad action is refused by the first step, before anything changes.
        let mut total = self.env.step(action, observation)?;
        self.terms.copy_from_slice(self.env.reward_terms());
        for _ in 1..self.n {
            if total.is_over() {
                break;
            }
            let step = self.env.step(action, observation)?;
            total = Step {
                reward: total.reward + step.reward,
                ..step
            };
            for (sum, term) in self.terms.iter_mut().zip(self.env.reward_terms()) {
                *sum += term;
            }
        }
        Ok(total)
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    forward!(metrics, parameters, end_reason, scripted_action, scene);
}

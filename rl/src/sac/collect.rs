//! The first stage: the policy acts, and the steps of the environments enter the replay buffer.

use rand::Rng as _;

use super::Sac;
use crate::RlError;

impl Sac {
    /// (policy, environments) => steps in the replay buffer; `false` if `stop` interrupted it
    pub(super) fn collect_step(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, RlError> {
        // (observations) => a ~ π, actions
        self.choose_actions();
        // (actions) => rewards, next observations
        if !self.env.step_interruptible(&self.actions, &mut || stop())? {
            return Ok(false);
        }
        self.global_step += self.config.n_envs as u64;
        let batch = self.env.batch();
        self.replay.push(&self.explored.actions, batch);
        for ended in &batch.ended {
            self.episodes.push(ended);
        }
        // (next observations) => normalised observations
        if self.config.norm_obs {
            self.observation_normalizer.update(&batch.observations);
        }
        self.observe();
        Ok(true)
    }

    /// Normalises the current observations of the environments.
    pub(crate) fn observe(&mut self) {
        let raw = &self.env.batch().observations;
        if self.config.norm_obs {
            self.observation_normalizer
                .normalize(raw, &mut self.observations);
        } else {
            self.observations.copy_from_slice(raw);
        }
    }

    /// Draws uniformly random actions before learning starts. They explore more than an untrained policy.
    fn choose_actions(&mut self) {
        let (explored, rng) = (&mut self.explored, &mut self.exploration_rng);
        if self.global_step < self.config.learning_starts as u64 {
            explored.actions.fill_with(|| rng.random_range(-1.0..=1.0));
        } else {
            explored.draw(&mut self.actor, &self.observations, rng);
        }
        let n_actions = self.replay.n_actions;
        let actions = self.actions.chunks_exact_mut(n_actions);
        for (own, action) in explored.actions.chunks_exact(n_actions).zip(actions) {
            self.action_scale.apply(own, action);
        }
    }
}

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
        if !self.state.step(stop)? {
            return Ok(false);
        }
        let batch = self.state.env.batch();
        self.replay.push(&self.explored.actions, batch);
        // (next observations) => normalised observations
        self.state.finish_step();
        Ok(true)
    }

    /// Draws uniformly random actions before learning starts. They explore more than an untrained policy.
    fn choose_actions(&mut self) {
        let (explored, rng) = (&mut self.explored, &mut self.state.exploration_rng);
        if self.state.global_step < self.config.learning_starts as u64 {
            explored.actions.fill_with(|| rng.random_range(-1.0..=1.0));
        } else {
            explored.draw(&mut self.actor, &self.state.observations, rng);
        }
        let n_actions = self.replay.n_actions;
        let actions = self.state.actions.chunks_exact_mut(n_actions);
        for (own, action) in explored.actions.chunks_exact(n_actions).zip(actions) {
            self.state.action_scale.apply(own, action);
        }
    }
}

//! The rollout stage: the policy samples actions and the environments step.

use rand::Rng;
use rand_distr::StandardNormal;

use super::Ppo;
use super::gae::Bootstrap;
use crate::RlError;

impl Ppo {
    /// (policy, environments) => observations, actions, rewards, ends; `false` if `stop` interrupted it
    pub(super) fn collect_rollout(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, RlError> {
        self.rollout.clear_ends();
        if let Some(constraint) = &mut self.constraint {
            constraint.clear();
        }
        self.distribution.set(self.actor.free());
        for step in 0..self.config.n_steps {
            // (observations) => u ~ π, actions
            self.sample_actions(step);
            // (actions) => rewards, next observations
            if !self.state.step(stop)? {
                return Ok(false);
            }
            // => rewards, costs, ends, episodes
            self.store_rewards(step);
            if let Some(constraint) = &mut self.constraint {
                constraint.store(step, self.state.env.batch());
            }
            self.store_ends(step);
            // (next observations) => normalised observations
            self.state.finish_step();
        }
        Ok(true)
    }

    fn sample_actions(&mut self, step: usize) {
        let (rollout, distribution) = (&mut self.rollout, &self.distribution);
        let (n_envs, n_actions) = (rollout.n_envs, rollout.n_actions);
        let first = step * n_envs;
        rollout.observations[first * rollout.n_obs..][..self.state.observations.len()]
            .copy_from_slice(&self.state.observations);
        let sampled = &mut rollout.actions[first * n_actions..][..n_envs * n_actions];
        let log_probs = &mut rollout.log_probs[first..][..n_envs];
        let (rng, scale, actions) = (
            &mut self.state.exploration_rng,
            &self.state.action_scale,
            &mut self.state.actions,
        );
        self.actor
            .evaluate(&self.state.observations, |env_idx, mean| {
                let own = env_idx * n_actions..(env_idx + 1) * n_actions;
                let u = &mut sampled[own.clone()];
                for ((u, mean), std) in u.iter_mut().zip(mean).zip(&distribution.std) {
                    *u = mean + std * rng.sample::<f32, _>(StandardNormal);
                }
                log_probs[env_idx] = distribution.log_prob(u, mean);
                scale.apply(u, &mut actions[own]);
            });
    }

    fn store_rewards(&mut self, step: usize) {
        let batch = self.state.env.batch();
        let own = step * batch.rewards.len()..(step + 1) * batch.rewards.len();
        let rewards = &mut self.rollout.rewards[own];
        if self.config.norm_reward {
            let is_over = |env_idx: usize| batch.terminated[env_idx] || batch.truncated[env_idx];
            self.reward_normalizer
                .normalize(&batch.rewards, is_over, rewards);
        } else {
            rewards.copy_from_slice(&batch.rewards);
        }
    }

    fn store_ends(&mut self, step: usize) {
        let (batch, rollout) = (self.state.env.batch(), &mut self.rollout);
        let n_obs = rollout.n_obs;
        for env_idx in 0..rollout.n_envs {
            let index = step * rollout.n_envs + env_idx;
            let (terminated, truncated) = (batch.terminated[env_idx], batch.truncated[env_idx]);
            rollout.is_over[index] = terminated || truncated;
            if !rollout.is_over[index] {
                continue;
            }
            rollout.ends.push(Bootstrap { index, value: 0.0 });
            if terminated {
                continue;
            }
            // After a time limit: bootstrap from the episode's last observation.
            rollout.truncated_ends.push(rollout.ends.len() - 1);
            let raw = &batch.final_observations[env_idx * n_obs..][..n_obs];
            let start = rollout.final_observations.len();
            rollout.final_observations.extend_from_slice(raw);
            if self.config.norm_obs {
                let normalized = &mut rollout.final_observations[start..];
                self.state.observation_normalizer.normalize(raw, normalized);
            }
        }
    }
}

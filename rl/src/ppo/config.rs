//! Settings of PPO, with CleanRL's names and defaults.

use insonate_settings::check_ranges;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::network::Activation;
use crate::training::check_counts;

/// Settings of proximal policy optimisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own with CleanRL's name"
)]
pub struct PpoConfig {
    /// Number of training steps, summed over all environments; rounded up to whole iterations.
    pub total_timesteps: usize,
    /// Number of environments.
    pub n_envs: usize,
    /// Steps of each environment per rollout.
    pub n_steps: usize,
    /// Number of minibatches per epoch of `n_envs * n_steps` samples.
    pub n_minibatches: usize,
    /// Number of passes over the samples per update.
    pub update_epochs: usize,
    /// Initial step size of Adam.
    pub learning_rate: f64,
    /// Whether to decrease the step size linearly to zero.
    pub anneal_lr: bool,
    /// Adam's ε.
    pub adam_epsilon: f64,
    /// Discount factor γ per step.
    pub discount: f64,
    /// λ of generalised advantage estimation.
    pub gae_lambda: f64,
    /// Clipping range ε of the probability ratio, and of the value with `clip_vloss`.
    pub clip_coef: f64,
    /// Whether to clip the value loss like the policy loss.
    pub clip_vloss: bool,
    /// Weight of the entropy bonus.
    pub ent_coef: f64,
    /// Weight of the value loss.
    pub vf_coef: f64,
    /// Upper limit of the mean cost of an episode, summed over all costs of the task. `None`: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_limit: Option<f64>,
    /// Step size η of the multiplier of `cost_limit`, per unit of cost above the limit; not in CleanRL.
    pub multiplier_lr: f64,
    /// Maximum norm of the gradient of all parameters.
    pub max_grad_norm: f64,
    /// Ends an update after the epoch in which the mean KL divergence from the old policy exceeds this value. `None`: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_kl: Option<f64>,
    /// Whether to normalise the advantages of each minibatch to mean 0 and standard deviation 1.
    pub norm_adv: bool,
    /// Whether to normalise observations to running mean 0 and standard deviation 1.
    pub norm_obs: bool,
    /// Whether to divide rewards by the running standard deviation of the discounted return.
    pub norm_reward: bool,
    /// Clipping range of normalised observations.
    pub clip_obs: f64,
    /// Clipping range of normalised rewards.
    pub clip_reward: f64,
    /// Widths of the hidden layers of actor and critic.
    pub hidden_sizes: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Initial ln σ of the policy. For an action with bounds, σ = 1 is half of its range.
    pub log_std_init: f64,
    /// Number of initial iterations in which only the critic learns. Use it for a policy that was trained elsewhere.
    pub critic_warmup: usize,
    /// Seed of weights, exploration, minibatches and environments.
    pub seed: u64,
    /// Number of most recent episodes over which logged returns and metrics are averaged.
    pub episode_window: usize,
}

impl Default for PpoConfig {
    fn default() -> Self {
        Self {
            total_timesteps: 1_000_000,
            n_envs: 8,
            n_steps: 256,
            n_minibatches: 32,
            update_epochs: 10,
            learning_rate: 3e-4,
            anneal_lr: true,
            adam_epsilon: 1e-5,
            discount: 0.99,
            gae_lambda: 0.95,
            clip_coef: 0.2,
            clip_vloss: true,
            ent_coef: 0.0,
            vf_coef: 0.5,
            cost_limit: None,
            multiplier_lr: 0.5,
            max_grad_norm: 0.5,
            target_kl: None,
            norm_adv: true,
            norm_obs: true,
            norm_reward: true,
            clip_obs: 10.0,
            clip_reward: 10.0,
            hidden_sizes: vec![64, 64],
            activation: Activation::Tanh,
            log_std_init: 0.0,
            critic_warmup: 0,
            seed: 1,
            episode_window: 100,
        }
    }
}

/// Maximum number of samples per iteration, so that a typing error does not exhaust the memory.
const MAX_BATCH: usize = 1 << 26;

impl PpoConfig {
    /// Samples per iteration.
    pub fn batch_size(&self) -> usize {
        self.n_envs * self.n_steps
    }

    /// Samples per minibatch.
    pub fn minibatch_size(&self) -> usize {
        self.batch_size() / self.n_minibatches
    }

    /// Number of iterations (rollout and update).
    pub fn n_iterations(&self) -> usize {
        self.total_timesteps.div_ceil(self.batch_size())
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`RlError::OutOfRange`] or [`RlError::Config`] for the first invalid setting.
    pub fn check(&self) -> Result<(), RlError> {
        self.check_counts()?;
        let above_zero = f64::MIN_POSITIVE;
        let ranges = [
            ("learning_rate", self.learning_rate, [above_zero, 1.0], ""),
            ("adam_epsilon", self.adam_epsilon, [above_zero, 1.0], ""),
            ("discount", self.discount, [0.0, 1.0], ""),
            ("gae_lambda", self.gae_lambda, [0.0, 1.0], ""),
            ("clip_coef", self.clip_coef, [above_zero, 1e6], ""),
            ("ent_coef", self.ent_coef, [0.0, 1e6], ""),
            ("vf_coef", self.vf_coef, [0.0, 1e6], ""),
            (
                "cost_limit",
                self.cost_limit.unwrap_or(0.0),
                [0.0, 1e12],
                "",
            ),
            ("multiplier_lr", self.multiplier_lr, [0.0, 1e6], ""),
            ("max_grad_norm", self.max_grad_norm, [above_zero, 1e12], ""),
            ("clip_obs", self.clip_obs, [above_zero, 1e12], ""),
            ("clip_reward", self.clip_reward, [above_zero, 1e12], ""),
            ("log_std_init", self.log_std_init, [-20.0, 5.0], ""),
            (
                "target_kl",
                self.target_kl.unwrap_or(1.0),
                [above_zero, 1e6],
                "",
            ),
        ];
        Ok(check_ranges("", ranges)?)
    }

    fn check_counts(&self) -> Result<(), RlError> {
        let counts = [
            ("total_timesteps", self.total_timesteps, 1, 1 << 53),
            ("n_envs", self.n_envs, 1, 1 << 16),
            ("n_steps", self.n_steps, 1, 1 << 20),
            ("n_minibatches", self.n_minibatches, 1, MAX_BATCH),
            ("update_epochs", self.update_epochs, 1, 1 << 12),
            ("episode_window", self.episode_window, 1, 1 << 20),
            ("critic_warmup", self.critic_warmup, 0, 1 << 20),
            ("the length of hidden_sizes", self.hidden_sizes.len(), 0, 16),
        ];
        let widths = self.hidden_sizes.iter();
        let widths = widths.map(|width| ("hidden_sizes", *width, 1, 8192));
        check_counts(counts.into_iter().chain(widths))?;
        let (n_envs, n_steps, batch_size) = (self.n_envs, self.n_steps, self.batch_size());
        if batch_size > MAX_BATCH {
            let problem = format!(
                "{n_steps} of {n_envs} environments are {batch_size} samples; it must be at most {MAX_BATCH}"
            );
            return Err(RlError::config("n_steps", problem));
        }
        if !batch_size.is_multiple_of(self.n_minibatches) {
            let n = self.n_minibatches;
            let problem = format!("{n} does not divide n_envs * n_steps = {batch_size}");
            return Err(RlError::config("n_minibatches", problem));
        }
        if self.norm_adv && self.minibatch_size() < 2 {
            let problem = "norm_adv needs minibatches of at least 2 samples";
            return Err(RlError::config("n_minibatches", problem));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut PpoConfig), expected: &str) {
        let mut config = PpoConfig::default();
        change(&mut config);
        assert_eq!(config.check().unwrap_err().to_string(), expected);
    }

    #[test]
    fn defaults_are_fine_and_bad_settings_are_named() {
        PpoConfig::default().check().unwrap();
        check(
            |c| c.n_steps = 0,
            "n_steps is 0; it must be between 1 and 1048576",
        );
        check(
            |c| c.n_minibatches = 30,
            "n_minibatches: 30 does not divide n_envs * n_steps = 2048",
        );
        check(
            |c| c.n_minibatches = 2048,
            "n_minibatches: norm_adv needs minibatches of at least 2 samples",
        );
        check(
            |c| c.discount = 1.5,
            "discount is 1.5; it must be between 0 and 1",
        );
        check(
            |c| c.learning_rate = f64::NAN,
            "learning_rate is NaN; it must be above 0 and at most 1",
        );
        check(
            |c| c.target_kl = Some(0.0),
            "target_kl is 0; it must be above 0 and at most 1000000",
        );
        check(
            |c| c.cost_limit = Some(-1.0),
            "cost_limit is -1; it must be between 0 and 1000000000000",
        );
        check(
            |c| c.hidden_sizes = vec![64, 0],
            "hidden_sizes is 0; it must be between 1 and 8192",
        );
        check(
            |c| (c.n_envs, c.n_steps) = (1 << 16, 1 << 20),
            "n_steps: 1048576 of 65536 environments are 68719476736 samples; it must be at most 67108864",
        );
    }

    #[test]
    fn timesteps_are_rounded_up_to_whole_iterations() {
        let mut config = PpoConfig {
            total_timesteps: 2049,
            ..PpoConfig::default()
        };
        assert_eq!(config.n_iterations(), 2);
        config.total_timesteps = 2048;
        assert_eq!(config.n_iterations(), 1);
    }
}

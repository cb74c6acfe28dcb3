//! Settings of SAC, with the names of CleanRL's `sac_continuous_action`, or of Stable-Baselines3 if CleanRL has no such setting.

use insonate_settings::check_ranges;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::network::Activation;
use crate::training::check_counts;

/// Settings of the soft actor-critic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SacConfig {
    /// Number of training steps, summed over all environments; rounded up to whole iterations.
    pub total_timesteps: usize,
    /// Number of environments.
    pub n_envs: usize,
    /// Steps of each environment per iteration. Metrics are logged after each iteration; learning proceeds within it.
    pub n_steps: usize,
    /// Capacity of the replay buffer, in steps of all environments; the oldest steps are dropped.
    pub buffer_size: usize,
    /// Steps of all environments with uniformly random actions before learning starts.
    pub learning_starts: usize,
    /// Minibatch size.
    pub batch_size: usize,
    /// Gradient steps per step of an environment.
    pub gradient_steps: f64,
    /// Adam's step size of the actor and the temperature.
    pub policy_lr: f64,
    /// Adam's step size of the critics.
    pub q_lr: f64,
    /// Adam's ε.
    pub adam_epsilon: f64,
    /// Discount factor γ per step.
    pub discount: f64,
    /// Fraction τ of the soft update of the target critics, after each gradient step.
    pub tau: f64,
    /// Temperature α of the entropy. The initial value with `autotune`.
    pub alpha: f64,
    /// Whether to adapt the temperature so that the policy keeps the target entropy.
    pub autotune: bool,
    /// Target entropy. `None`: minus the number of actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_entropy: Option<f64>,
    /// Whether to normalise observations to running mean 0 and standard deviation 1; not in CleanRL.
    pub norm_obs: bool,
    /// Clipping range of normalised observations.
    pub clip_obs: f64,
    /// Widths of the hidden layers of actor and critics.
    pub hidden_sizes: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Seed of weights, exploration, minibatches and environments.
    pub seed: u64,
    /// Number of most recent episodes over which logged returns and metrics are averaged.
    pub episode_window: usize,
}

impl Default for SacConfig {
    fn default() -> Self {
        Self {
            total_timesteps: 1_000_000,
            n_envs: 1,
            n_steps: 1000,
            buffer_size: 1_000_000,
            learning_starts: 1000,
            batch_size: 256,
            gradient_steps: 1.0,
            policy_lr: 3e-4,
            q_lr: 3e-4,
            adam_epsilon: 1e-8,
            discount: 0.99,
            tau: 0.005,
            alpha: 1.0,
            autotune: true,
            target_entropy: None,
            norm_obs: true,
            clip_obs: 10.0,
            hidden_sizes: vec![256, 256],
            activation: Activation::Relu,
            seed: 1,
            episode_window: 100,
        }
    }
}

impl SacConfig {
    /// Steps of all environments per iteration.
    pub fn iteration_size(&self) -> usize {
        self.n_envs * self.n_steps
    }

    /// Number of iterations.
    pub fn n_iterations(&self) -> usize {
        self.total_timesteps.div_ceil(self.iteration_size())
    }

    /// Steps of each environment that the replay buffer holds.
    pub(super) fn buffer_steps(&self) -> usize {
        self.buffer_size / self.n_envs
    }

    /// Total number of gradient steps due after the given number of steps of all environments.
    pub(crate) fn n_updates(&self, global_step: u64) -> u64 {
        let n_learning = global_step.saturating_sub(self.learning_starts as u64);
        (n_learning as f64 * self.gradient_steps) as u64
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`RlError::OutOfRange`] or [`RlError::Config`] for the first invalid setting.
    pub fn check(&self) -> Result<(), RlError> {
        self.check_counts()?;
        let above_zero = f64::MIN_POSITIVE;
        let ranges = [
            ("gradient_steps", self.gradient_steps, [above_zero, 1e3], ""),
            ("policy_lr", self.policy_lr, [above_zero, 1.0], ""),
            ("q_lr", self.q_lr, [above_zero, 1.0], ""),
            ("adam_epsilon", self.adam_epsilon, [above_zero, 1.0], ""),
            ("discount", self.discount, [0.0, 1.0], ""),
            ("tau", self.tau, [above_zero, 1.0], ""),
            ("alpha", self.alpha, [above_zero, 1e6], ""),
            (
                "target_entropy",
                self.target_entropy.unwrap_or(0.0),
                [-1e6, 1e6],
                "",
            ),
            ("clip_obs", self.clip_obs, [above_zero, 1e12], ""),
        ];
        Ok(check_ranges("", ranges)?)
    }

    fn check_counts(&self) -> Result<(), RlError> {
        let counts = [
            ("total_timesteps", self.total_timesteps, 1, 1 << 53),
            ("n_envs", self.n_envs, 1, 65_536),
            ("n_steps", self.n_steps, 1, 1_048_576),
            ("buffer_size", self.buffer_size, self.n_envs, 268_435_456),
            ("learning_starts", self.learning_starts, 0, 1 << 40),
            ("batch_size", self.batch_size, 1, 65_536),
            ("episode_window", self.episode_window, 1, 1_048_576),
            ("the length of hidden_sizes", self.hidden_sizes.len(), 0, 16),
        ];
        let widths = self.hidden_sizes.iter();
        let widths = widths.map(|width| ("hidden_sizes", *width, 1, 8192));
        check_counts(counts.into_iter().chain(widths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut SacConfig), expected: &str) {
        let mut config = SacConfig::default();
        change(&mut config);
        assert_eq!(config.check().unwrap_err().to_string(), expected);
    }

    #[test]
    fn defaults_are_fine_and_bad_settings_are_named() {
        SacConfig::default().check().unwrap();
        check(
            |c| c.tau = 0.0,
            "tau is 0; it must be above 0 and at most 1",
        );
        check(
            |c| (c.n_envs, c.buffer_size) = (8, 7),
            "buffer_size is 7; it must be between 8 and 268435456",
        );
        check(
            |c| c.batch_size = 0,
            "batch_size is 0; it must be between 1 and 65536",
        );
        check(
            |c| c.gradient_steps = f64::NAN,
            "gradient_steps is NaN; it must be above 0 and at most 1000",
        );
    }

    #[test]
    fn gradient_steps_follow_the_steps_of_the_environments() {
        let config = SacConfig {
            learning_starts: 100,
            gradient_steps: 0.25,
            ..SacConfig::default()
        };
        assert_eq!(
            [0, 100, 103, 104, 108].map(|n| config.n_updates(n)),
            [0, 0, 0, 1, 2]
        );
    }
}

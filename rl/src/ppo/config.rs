//! Settings of PPO, with CleanRL's names and defaults.

use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::network::Activation;

/// Settings of proximal policy optimisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own with CleanRL's name"
)]
pub struct PpoConfig {
    /// Steps to train for, over all environments; rounded up to whole iterations.
    pub total_timesteps: usize,
    /// Environments that step together.
    pub n_envs: usize,
    /// Steps of each environment between two updates.
    pub n_steps: usize,
    /// Parts of `n_envs * n_steps` samples that an epoch is split into.
    pub n_minibatches: usize,
    /// Passes over the samples in one update.
    pub update_epochs: usize,
    /// Adam's step size at the start.
    pub learning_rate: f64,
    /// Lowers the step size in a line to zero at the end.
    pub anneal_lr: bool,
    /// Adam's ε.
    pub adam_epsilon: f64,
    /// Discount γ of a step.
    pub discount: f64,
    /// λ of generalised advantage estimation.
    pub gae_lambda: f64,
    /// How far the ratio of probabilities may go from 1, and with `clip_vloss` the value from its old value.
    pub clip_coef: f64,
    /// Clips the loss of the value as that of the policy.
    pub clip_vloss: bool,
    /// Weight of the entropy.
    pub ent_coef: f64,
    /// Weight of the loss of the value.
    pub vf_coef: f64,
    /// Largest norm of the gradient by all parameters together.
    pub max_grad_norm: f64,
    /// Ends an update after the epoch in which the mean Kullback–Leibler divergence from the old policy passes this; none: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_kl: Option<f64>,
    /// Gives the advantages of each minibatch mean 0 and standard deviation 1.
    pub norm_adv: bool,
    /// Gives observations running mean 0 and standard deviation 1.
    pub norm_obs: bool,
    /// Divides rewards by the running standard deviation of the discounted return.
    pub norm_reward: bool,
    /// Where normalised observations are cut.
    pub clip_obs: f64,
    /// Where normalised rewards are cut.
    pub clip_reward: f64,
    /// Widths of the hidden layers of actor and critic.
    pub hidden_sizes: Vec<usize>,
    /// What follows each hidden layer.
    pub activation: Activation,
    /// Logarithm of the policy's standard deviation at the start; 1 is half the range of an action that has bounds.
    pub log_std_init: f64,
    /// Seed of weights, exploration, order of samples and environments.
    pub seed: u64,
    /// Episodes over which returns and metrics are averaged for the log: the last so many.
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
            seed: 1,
            episode_window: 100,
        }
    }
}

/// Most samples of an iteration, so that their indices fit and a slip of the pen does not ask for all memory.
const MAX_BATCH: usize = 1 << 26;

impl PpoConfig {
    /// Samples of an iteration.
    pub fn batch_size(&self) -> usize {
        self.n_envs * self.n_steps
    }

    /// Samples of a minibatch.
    pub fn minibatch_size(&self) -> usize {
        self.batch_size() / self.n_minibatches
    }

    /// Iterations of rollout and update.
    pub fn n_iterations(&self) -> usize {
        self.total_timesteps.div_ceil(self.batch_size())
    }

    /// Fails for settings that cannot be.
    ///
    /// # Errors
    /// [`RlError::Config`], naming the first setting that is wrong and what is allowed.
    pub fn check(&self) -> Result<(), RlError> {
        self.check_counts()?;
        let above_zero = f64::MIN_POSITIVE;
        let ranges = [
            ("learning_rate", self.learning_rate, above_zero, 1.0),
            ("adam_epsilon", self.adam_epsilon, above_zero, 1.0),
            ("discount", self.discount, 0.0, 1.0),
            ("gae_lambda", self.gae_lambda, 0.0, 1.0),
            ("clip_coef", self.clip_coef, above_zero, 1e6),
            ("ent_coef", self.ent_coef, 0.0, 1e6),
            ("vf_coef", self.vf_coef, 0.0, 1e6),
            ("max_grad_norm", self.max_grad_norm, above_zero, 1e12),
            ("clip_obs", self.clip_obs, above_zero, 1e12),
            ("clip_reward", self.clip_reward, above_zero, 1e12),
            ("log_std_init", self.log_std_init, -20.0, 5.0),
            ("target_kl", self.target_kl.unwrap_or(1.0), above_zero, 1e6),
        ];
        for (field, value, low, high) in ranges {
            if !(low..=high).contains(&value) {
                let low = if low == above_zero {
                    "above 0"
                } else {
                    &format!("{low}")
                };
                return Err(wrong(
                    field,
                    format!("{value} is not allowed: {low} to {high}"),
                ));
            }
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), RlError> {
        let counts = [
            ("total_timesteps", self.total_timesteps, 1 << 53),
            ("n_envs", self.n_envs, 1 << 16),
            ("n_steps", self.n_steps, 1 << 20),
            ("n_minibatches", self.n_minibatches, MAX_BATCH),
            ("update_epochs", self.update_epochs, 1 << 12),
            ("episode_window", self.episode_window, 1 << 20),
        ];
        for (field, value, high) in counts {
            if !(1..=high).contains(&value) {
                return Err(wrong(field, format!("{value} is not allowed: 1 to {high}")));
            }
        }
        if self.hidden_sizes.len() > 16 {
            let n_layers = self.hidden_sizes.len();
            return Err(wrong(
                "hidden_sizes",
                format!("{n_layers} layers are too many: 0 to 16"),
            ));
        }
        if let Some(width) = self
            .hidden_sizes
            .iter()
            .find(|width| !(1..=8192).contains(*width))
        {
            return Err(wrong(
                "hidden_sizes",
                format!("{width} is not allowed: 1 to 8192"),
            ));
        }
        if self.batch_size() > MAX_BATCH {
            let problem = format!(
                "{} of {} environments are {} samples, {MAX_BATCH} at most",
                self.n_steps,
                self.n_envs,
                self.batch_size()
            );
            return Err(wrong("n_steps", problem));
        }
        if !self.batch_size().is_multiple_of(self.n_minibatches) {
            let problem = format!(
                "{} does not divide n_envs * n_steps = {}",
                self.n_minibatches,
                self.batch_size()
            );
            return Err(wrong("n_minibatches", problem));
        }
        if self.norm_adv && self.minibatch_size() < 2 {
            let problem = "minibatches of one sample have no spread for norm_adv".to_owned();
            return Err(wrong("n_minibatches", problem));
        }
        Ok(())
    }
}

fn wrong(field: &'static str, problem: String) -> RlError {
    RlError::Config { field, problem }
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
        check(|c| c.n_steps = 0, "n_steps: 0 is not allowed: 1 to 1048576");
        check(
            |c| c.n_minibatches = 30,
            "n_minibatches: 30 does not divide n_envs * n_steps = 2048",
        );
        check(
            |c| c.n_minibatches = 2048,
            "n_minibatches: minibatches of one sample have no spread for norm_adv",
        );
        check(|c| c.discount = 1.5, "discount: 1.5 is not allowed: 0 to 1");
        check(
            |c| c.learning_rate = f64::NAN,
            "learning_rate: NaN is not allowed: above 0 to 1",
        );
        check(
            |c| c.target_kl = Some(0.0),
            "target_kl: 0 is not allowed: above 0 to 1000000",
        );
        check(
            |c| c.hidden_sizes = vec![64, 0],
            "hidden_sizes: 0 is not allowed: 1 to 8192",
        );
        check(
            |c| (c.n_envs, c.n_steps) = (1 << 16, 1 << 20),
            "n_steps: 1048576 of 65536 environments are 68719476736 samples, 67108864 at most",
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

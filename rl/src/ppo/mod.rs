//! Proximal policy optimisation (Schulman 2017, arXiv:1707.06347), in the order of CleanRL's `ppo_continuous_action`.
//!
//! `Ppo::learn` lists the stages; each stage has its own file.
//! Termination and truncation are distinguished (see [`gae()`]).
//! With `cost_limit` it is PPO-Lagrangian (see [`Multiplier`]).
//! The same seed gives the same bits on any number of threads.

mod collect;
mod config;
mod constraint;
mod diag_gaussian;
mod gae;
mod learning_rate;
mod multiplier;
mod progress;
mod rollout_buffer;
mod setup;
mod update;
mod values;

use std::path::Path;
use std::time::Instant;

use rand_chacha::ChaCha8Rng;

pub use config::PpoConfig;
pub use constraint::{Constraint, CostSamples};
pub use diag_gaussian::DiagGaussian;
pub use gae::{Bootstrap, GaeInputs, explained_variance, gae, next_values};
pub use multiplier::Multiplier;
pub use rollout_buffer::RolloutBuffer;
pub use update::{
    Learners, PolicyLoss, PolicyStats, UpdateStats, mean_and_std, policy_loss, update, value_loss,
};

use crate::RlError;
use crate::algorithm::Algorithm;
use crate::network::{Learner, Mlp};
use crate::normalization::RewardNormalizer;
use crate::policy::Policy;
use crate::training::{Progress, TrainingState};

/// Training of a policy.
pub struct Ppo {
    pub(crate) config: PpoConfig,
    pub(crate) state: TrainingState,

    // Learned parameters and statistics.
    pub(crate) actor: Learner,
    pub(crate) critic: Learner,
    /// Cost limit of an episode. `None`: costs are only counted.
    pub(crate) constraint: Option<Constraint>,
    pub(crate) reward_normalizer: RewardNormalizer,
    pub(crate) shuffle_rng: ChaCha8Rng,

    // Buffers.
    rollout: RolloutBuffer,
    distribution: DiagGaussian,
}

impl Ppo {
    /// (rollout) => better policy
    fn learn(&mut self, start: Instant) -> Result<Progress, RlError> {
        let rollout_time = start.elapsed();
        self.state.iteration += 1;
        let learning_rate = self.config.annealed_learning_rate(self.state.iteration);

        // (critics, observations) => values, next values
        self.evaluate_values();

        // (rewards, values, ends) => advantages, returns
        self.compute_advantages();

        // (costs, limit) => multiplier; (advantages of reward and cost) => advantages
        self.apply_limit();

        // (rollout) => better actor, better critic
        let stats = self.update(learning_rate)?;
        let update_time = start.elapsed().saturating_sub(rollout_time);

        // (episodes, update, times) => progress
        Ok(self.progress(&stats, learning_rate, [rollout_time, update_time]))
    }

    /// Settings.
    pub fn config(&self) -> &PpoConfig {
        &self.config
    }

    /// The cost limit with its multiplier. `None` if `cost_limit` is not set.
    pub fn constraint(&self) -> Option<&Constraint> {
        self.constraint.as_ref()
    }

    /// The samples of the last iteration.
    pub fn rollout(&self) -> &RolloutBuffer {
        &self.rollout
    }
}

impl Algorithm for Ppo {
    fn state(&self) -> &TrainingState {
        &self.state
    }

    fn state_mut(&mut self) -> &mut TrainingState {
        &mut self.state
    }

    fn n_iterations(&self) -> usize {
        self.config.n_iterations()
    }

    fn iterate_interruptible(
        &mut self,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Progress>, RlError> {
        let start = Instant::now();
        // (policy, environments) => observations, actions, rewards, ends
        if self.collect_rollout(stop)? {
            self.learn(start).map(Some)
        } else {
            Ok(None)
        }
    }

    fn policy(&self) -> Policy {
        self.state.policy(self.actor.network.clone())
    }

    fn warm_start(&mut self, policy: &Policy) -> Result<(), RlError> {
        policy.check_fits(self.env().spec())?;
        if policy.squash {
            let problem = "PPO cannot begin with a policy of SAC, which is squashed";
            return Err(RlError::config("from", problem));
        }
        if policy.encoder().is_some() {
            let problem = "PPO cannot begin with a policy that has convolutions";
            return Err(RlError::config("from", problem));
        }
        let network = &mut self.actor.network;
        let widths = |network: &Mlp| -> Vec<usize> {
            network
                .layers()
                .iter()
                .map(|layer| layer.n_outputs)
                .collect()
        };
        if widths(network) != widths(&policy.network)
            || network.activation() != policy.network.activation()
        {
            let (theirs, ours) = (widths(&policy.network), widths(network));
            let problem = format!(
                "the policy has layers {theirs:?} ({:?}), but this training has {ours:?} ({:?})",
                policy.network.activation(),
                network.activation()
            );
            return Err(RlError::config("hidden_sizes", problem));
        }
        if self.config.norm_obs != policy.normalizer.is_some() {
            let problem = format!(
                "must be {}, as in the training of the policy",
                !self.config.norm_obs
            );
            return Err(RlError::config("norm_obs", problem));
        }
        network
            .parameters_mut()
            .copy_from_slice(policy.network.parameters());
        if let Some(normalizer) = &policy.normalizer {
            self.state.set_moments(normalizer.moments().clone());
        }
        self.state.observe();
        Ok(())
    }

    fn save(&self, path: &Path) -> Result<(), RlError> {
        self.save_checkpoint(path)
    }

    fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError> {
        let config = PpoConfig {
            total_timesteps,
            ..self.config.clone()
        };
        config.check()?;
        self.config = config;
        Ok(())
    }
}

impl std::fmt::Debug for Ppo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ppo")
            .field("config", &self.config)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

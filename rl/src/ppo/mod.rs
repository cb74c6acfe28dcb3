//! Proximal policy optimisation (Schulman 2017, arXiv:1707.06347), in the order of CleanRL's `ppo_continuous_action`.
//!
//! [`Ppo::iterate`] lists the stages; each stage has its own file.
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

use std::ops::ControlFlow;
use std::time::Instant;

use insonate_envs::VecEnv;
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
use crate::network::{Learner, Mlp};
use crate::normalization::{ObservationNormalizer, RewardNormalizer};
use crate::policy::{ActionScale, Policy, PolicyIdentity};
use crate::training::{EpisodeWindow, Progress, StepClock, ThreadTuner};

/// Training of a policy.
pub struct Ppo {
    pub(crate) config: PpoConfig,
    pub(crate) identity: PolicyIdentity,
    pub(crate) env: VecEnv,
    action_scale: ActionScale,

    // Learned parameters and statistics.
    pub(crate) actor: Learner,
    pub(crate) critic: Learner,
    /// Cost limit of an episode. `None`: costs are only counted.
    pub(crate) constraint: Option<Constraint>,
    pub(crate) observation_normalizer: ObservationNormalizer,
    pub(crate) reward_normalizer: RewardNormalizer,

    // State of the training.
    pub(crate) exploration_rng: ChaCha8Rng,
    pub(crate) shuffle_rng: ChaCha8Rng,
    pub(crate) episodes: EpisodeWindow,
    pub(crate) iteration: usize,
    pub(crate) global_step: u64,

    // Buffers.
    rollout: RolloutBuffer,
    distribution: DiagGaussian,
    /// Normalised observations for the next actions, shape `[n_envs, n_obs]`.
    observations: Vec<f32>,
    /// Actions of the last step, shape `[n_envs, n_actions]`.
    actions: Vec<f32>,

    /// Environments that a checkpoint did not restore bit-identically.
    pub(crate) n_unreproduced_envs: usize,
    thread_tuner: ThreadTuner,
    clock: StepClock,
}

impl Ppo {
    /// Iterates until all timesteps are completed or the observer breaks; [`Ppo::is_finished`] distinguishes the two.
    ///
    /// # Errors
    /// As [`Ppo::iterate`].
    pub fn train(
        &mut self,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), RlError> {
        while !self.is_finished() && observer(&self.iterate()?).is_continue() {}
        Ok(())
    }

    /// Runs one iteration.
    ///
    /// # Errors
    /// [`RlError::Env`] if an environment fails; [`RlError::NotFinite`] if no minibatch had a finite gradient. The weights are then
    /// unchanged.
    pub fn iterate(&mut self) -> Result<Progress, RlError> {
        let start = Instant::now();
        // (policy, environments) => observations, actions, rewards, ends
        self.collect_rollout(&|| false)?;
        self.learn(start)
    }

    /// Runs one iteration. `None` if `stop` interrupted the rollout, which is checked between two environments because they may be slow. An
    /// interrupted training cannot continue; resume its last checkpoint.
    ///
    /// # Errors
    /// As [`Ppo::iterate`].
    pub fn iterate_interruptible(
        &mut self,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Progress>, RlError> {
        let start = Instant::now();
        if self.collect_rollout(stop)? {
            self.learn(start).map(Some)
        } else {
            Ok(None)
        }
    }

    /// (rollout) => better policy
    fn learn(&mut self, start: Instant) -> Result<Progress, RlError> {
        let rollout_time = start.elapsed();
        self.iteration += 1;
        let learning_rate = self.config.annealed_learning_rate(self.iteration);

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

    /// The current policy.
    pub fn policy(&self) -> Policy {
        let (spec, normalizer) = (self.env.spec(), &self.observation_normalizer);
        let mut policy = Policy::new(
            [spec.observation_space.clone(), spec.action_space.clone()],
            self.actor.network.clone(),
            self.config.norm_obs.then(|| normalizer.clone()),
        );
        policy.identity = self.identity.clone();
        policy.seed = self.config.seed;
        policy.n_trained_steps = self.global_step;
        policy
    }

    /// Initialises the actor with the weights of a policy, such as one learnt from demonstrations. Call it before the first iteration.
    /// The critic keeps its initial weights.
    ///
    /// # Errors
    /// [`RlError::Misfit`] for a policy of other environments; [`RlError::Config`] if its network or normalisation differs.
    pub fn warm_start(&mut self, policy: &Policy) -> Result<(), RlError> {
        policy.check_fits(self.env.spec())?;
        if policy.squash {
            let problem = "PPO cannot begin with a policy of SAC, which is squashed";
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
            let moments = normalizer.moments().clone();
            self.observation_normalizer = ObservationNormalizer::new(moments, self.config.clip_obs);
        }
        self.observe();
        Ok(())
    }

    /// Settings.
    pub fn config(&self) -> &PpoConfig {
        &self.config
    }

    /// The cost limit with its multiplier. `None` if `cost_limit` is not set.
    pub fn constraint(&self) -> Option<&Constraint> {
        self.constraint.as_ref()
    }

    /// The environments.
    pub fn env(&self) -> &VecEnv {
        &self.env
    }

    /// The samples of the last iteration.
    pub fn rollout(&self) -> &RolloutBuffer {
        &self.rollout
    }

    /// Iterations completed.
    pub fn iteration(&self) -> usize {
        self.iteration
    }

    /// Steps of all environments completed.
    pub fn global_step(&self) -> u64 {
        self.global_step
    }

    /// Number of environments whose replayed episodes differ from the checkpoint. Training then continues from the replayed state, but not
    /// bit-identically. Zero on the machine that wrote the checkpoint, with the same version and settings.
    pub fn n_unreproduced_envs(&self) -> usize {
        self.n_unreproduced_envs
    }

    /// Whether all timesteps are completed.
    pub fn is_finished(&self) -> bool {
        self.iteration >= self.config.n_iterations()
    }

    /// Changes the total number of timesteps. With `anneal_lr` the learning rate follows the new total from the next iteration on.
    ///
    /// # Errors
    /// [`RlError::Config`] for zero.
    pub fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError> {
        let config = PpoConfig {
            total_timesteps,
            ..self.config.clone()
        };
        config.check()?;
        self.config = config;
        Ok(())
    }

    /// Sets the maximum number of threads of an update (1 or 2). It has no effect on results.
    pub fn set_update_threads(&mut self, n_threads: usize) {
        self.thread_tuner = ThreadTuner::new(n_threads.clamp(1, 2));
    }
}

impl std::fmt::Debug for Ppo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ppo")
            .field("config", &self.config)
            .field("identity", &self.identity)
            .field("env", &self.env)
            .field("iteration", &self.iteration)
            .finish_non_exhaustive()
    }
}

//! The interface that [`Run`](crate::Run) requires of an algorithm, and the list of algorithms.

use std::fmt;
use std::path::Path;

use insonate_envs::VecEnv;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::policy::{Policy, PolicyIdentity};
use crate::ppo::{Ppo, PpoConfig};
use crate::sac::{Sac, SacConfig};
use crate::training::Progress;

/// Training algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlgorithmKind {
    /// Proximal policy optimisation.
    #[default]
    Ppo,
    /// Soft actor-critic.
    Sac,
}

impl AlgorithmKind {
    /// All algorithms.
    pub const ALL: [Self; 2] = [Self::Ppo, Self::Sac];

    /// Name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ppo => "ppo",
            Self::Sac => "sac",
        }
    }
}

impl fmt::Display for AlgorithmKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Settings of an algorithm.
#[derive(Debug, Clone, PartialEq)]
pub enum AlgorithmConfig {
    /// Settings of PPO.
    Ppo(PpoConfig),
    /// Settings of SAC.
    Sac(SacConfig),
}

impl AlgorithmConfig {
    /// The algorithm that these settings are for.
    pub const fn kind(&self) -> AlgorithmKind {
        match self {
            Self::Ppo(_) => AlgorithmKind::Ppo,
            Self::Sac(_) => AlgorithmKind::Sac,
        }
    }

    /// Number of training steps, summed over all environments.
    pub const fn total_timesteps(&self) -> usize {
        match self {
            Self::Ppo(config) => config.total_timesteps,
            Self::Sac(config) => config.total_timesteps,
        }
    }

    /// Number of environments.
    pub const fn n_envs(&self) -> usize {
        match self {
            Self::Ppo(config) => config.n_envs,
            Self::Sac(config) => config.n_envs,
        }
    }

    /// Steps of all environments per iteration.
    pub fn iteration_size(&self) -> usize {
        match self {
            Self::Ppo(config) => config.batch_size(),
            Self::Sac(config) => config.iteration_size(),
        }
    }

    /// Seed of the training.
    pub const fn seed(&self) -> u64 {
        match self {
            Self::Ppo(config) => config.seed,
            Self::Sac(config) => config.seed,
        }
    }

    /// Upper limit of the mean cost of an episode. `None`: no limit.
    pub const fn cost_limit(&self) -> Option<f64> {
        match self {
            Self::Ppo(config) => config.cost_limit,
            Self::Sac(_) => None,
        }
    }

    /// Creates a new training; see [`Ppo::new`] and [`Sac::new`].
    ///
    /// # Errors
    /// Those of [`Ppo::new`] and [`Sac::new`].
    pub fn build(
        &self,
        env: VecEnv,
        identity: PolicyIdentity,
    ) -> Result<Box<dyn Algorithm>, RlError> {
        Ok(match self {
            Self::Ppo(config) => Box::new(Ppo::new(env, config.clone(), identity)?),
            Self::Sac(config) => Box::new(Sac::new(env, config.clone(), identity)?),
        })
    }
}

/// A training by any algorithm. The methods of [`Ppo`] and [`Sac`] with the same names are documented in detail.
pub trait Algorithm: fmt::Debug {
    /// Runs one iteration. `None` if `stop` interrupted it.
    ///
    /// # Errors
    /// Errors of the environments and of learning.
    fn iterate_interruptible(
        &mut self,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Progress>, RlError>;
    /// The current policy.
    fn policy(&self) -> Policy;
    /// Initialises the training with the weights of a policy.
    ///
    /// # Errors
    /// If the policy does not fit, or if the algorithm does not support it.
    fn warm_start(&mut self, policy: &Policy) -> Result<(), RlError>;
    /// Writes a checkpoint between two iterations.
    ///
    /// # Errors
    /// [`RlError::Write`].
    fn save(&self, path: &Path) -> Result<(), RlError>;
    /// The environments.
    fn env(&self) -> &VecEnv;
    /// Iterations completed.
    fn iteration(&self) -> usize;
    /// Steps of all environments completed.
    fn global_step(&self) -> u64;
    /// Environments that a checkpoint did not restore bit-identically.
    fn n_unreproduced_envs(&self) -> usize;
    /// Whether all timesteps are completed.
    fn is_finished(&self) -> bool;
    /// Changes the total number of timesteps.
    ///
    /// # Errors
    /// [`RlError::Config`] for zero.
    fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError>;
    /// Sets the maximum number of threads of an update (1 or 2). It has no effect on results.
    fn set_update_threads(&mut self, n_threads: usize);
}

/// Implements the trait by the inherent methods of the same names.
macro_rules! by_own_methods {
    ($algorithm:ty) => {
        impl Algorithm for $algorithm {
            fn iterate_interruptible(
                &mut self,
                stop: &dyn Fn() -> bool,
            ) -> Result<Option<Progress>, RlError> {
                self.iterate_interruptible(stop)
            }

            fn policy(&self) -> Policy {
                self.policy()
            }

            fn warm_start(&mut self, policy: &Policy) -> Result<(), RlError> {
                self.warm_start(policy)
            }

            fn save(&self, path: &Path) -> Result<(), RlError> {
                self.save(path)
            }

            fn env(&self) -> &VecEnv {
                self.env()
            }

            fn iteration(&self) -> usize {
                self.iteration()
            }

            fn global_step(&self) -> u64 {
                self.global_step()
            }

            fn n_unreproduced_envs(&self) -> usize {
                self.n_unreproduced_envs()
            }

            fn is_finished(&self) -> bool {
                self.is_finished()
            }

            fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError> {
                self.set_total_timesteps(total_timesteps)
            }

            fn set_update_threads(&mut self, n_threads: usize) {
                self.set_update_threads(n_threads);
            }
        }
    };
}

by_own_methods!(Ppo);
by_own_methods!(Sac);

impl From<Ppo> for Box<dyn Algorithm> {
    fn from(ppo: Ppo) -> Self {
        Box::new(ppo)
    }
}

impl From<Sac> for Box<dyn Algorithm> {
    fn from(sac: Sac) -> Self {
        Box::new(sac)
    }
}

//! What [`Run`](crate::Run) needs of an algorithm, and which there are.

use std::fmt;
use std::path::Path;

use insonate_envs::VecEnv;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::policy::{Policy, PolicyIdentity};
use crate::ppo::{Ppo, PpoConfig};
use crate::sac::{Sac, SacConfig};
use crate::training::Progress;

/// Which algorithm.
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
    /// Every algorithm.
    pub const ALL: [Self; 2] = [Self::Ppo, Self::Sac];

    /// Its name, as in files and on the command line.
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
    /// Of PPO.
    Ppo(PpoConfig),
    /// Of SAC.
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

    /// Steps to train for, over all environments.
    pub const fn total_timesteps(&self) -> usize {
        match self {
            Self::Ppo(config) => config.total_timesteps,
            Self::Sac(config) => config.total_timesteps,
        }
    }

    /// Environments that step together.
    pub const fn n_envs(&self) -> usize {
        match self {
            Self::Ppo(config) => config.n_envs,
            Self::Sac(config) => config.n_envs,
        }
    }

    /// Steps of all environments in an iteration.
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

    /// Most that an episode may cost; none: no limit.
    pub const fn cost_limit(&self) -> Option<f64> {
        match self {
            Self::Ppo(config) => config.cost_limit,
            Self::Sac(_) => None,
        }
    }

    /// A training from the start; see [`Ppo::new`] and [`Sac::new`].
    ///
    /// # Errors
    /// As [`Ppo::new`] and [`Sac::new`].
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

/// A training by some algorithm; the methods of [`Ppo`] and [`Sac`] with these names say more.
pub trait Algorithm: fmt::Debug {
    /// One iteration. `None` if `stop` interrupted it.
    ///
    /// # Errors
    /// Of environments and learning.
    fn iterate_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Progress>, RlError>;
    /// The policy as it is now.
    fn policy(&self) -> Policy;
    /// Begins with the weights of a policy.
    ///
    /// # Errors
    /// For a policy that does not fit, and where the algorithm cannot.
    fn begin_with(&mut self, policy: &Policy) -> Result<(), RlError>;
    /// Writes a checkpoint between two iterations.
    ///
    /// # Errors
    /// [`RlError::Write`].
    fn save(&self, path: &Path) -> Result<(), RlError>;
    /// The environments.
    fn env(&self) -> &VecEnv;
    /// Iterations done.
    fn iteration(&self) -> usize;
    /// Steps of all environments done.
    fn global_step(&self) -> u64;
    /// Environments that a checkpoint did not restore bit-identically.
    fn n_inexact_envs(&self) -> usize;
    /// Whether all timesteps are done.
    fn is_finished(&self) -> bool;
    /// Changes the total number of timesteps.
    ///
    /// # Errors
    /// [`RlError::Config`] for zero.
    fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError>;
    /// Most threads of an update: 1 or 2; without effect on results.
    fn set_update_threads(&mut self, n_threads: usize);
}

/// The trait by the methods of the same names.
macro_rules! by_own_methods {
    ($algorithm:ty) => {
        impl Algorithm for $algorithm {
            fn iterate_unless(
                &mut self,
                stop: &dyn Fn() -> bool,
            ) -> Result<Option<Progress>, RlError> {
                self.iterate_unless(stop)
            }

            fn policy(&self) -> Policy {
                self.policy()
            }

            fn begin_with(&mut self, policy: &Policy) -> Result<(), RlError> {
                self.begin_with(policy)
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

            fn n_inexact_envs(&self) -> usize {
                self.n_inexact_envs()
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

//! The algorithms, and their settings.

use std::fmt;

use insonate_envs::VecEnv;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::algorithm::Algorithm;
use crate::policy::PolicyIdentity;
use crate::ppo::{Ppo, PpoConfig};
use crate::sac::{Sac, SacConfig};

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

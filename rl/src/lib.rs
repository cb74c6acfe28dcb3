//! Reinforcement learning: PPO and SAC on vectorised environments, efficient on few cores.
//!
//! The crate works on arrays of shape `[n_envs, …]` and does not depend on robots.
//! [`Ppo`] and [`Sac`] train, [`imitation`] learns from demonstrations, [`Policy`] acts and [`evaluate()`] measures. [`Run`]
//! manages a folder of logs, checkpoints and the policy.
//!
//! ```
//! use insonate_envs::{Autoreset, VecConfig, VecEnv, tasks};
//! use insonate_rl::{Algorithm as _, PolicyIdentity, Ppo, PpoConfig};
//! use std::ops::ControlFlow;
//!
//! let factory = (tasks::by_name("pendulum")?.build)(&toml::Table::new())?;
//! let config = PpoConfig { total_timesteps: 4096, n_envs: 4, ..PpoConfig::default() };
//! let same_step = VecConfig { autoreset: Autoreset::SameStep, ..VecConfig::default() };
//! let env = VecEnv::new(factory.make_many(config.n_envs)?, same_step)?;
//! let identity = PolicyIdentity {
//!     task: factory.task.to_owned(),
//!     settings: factory.settings.to_string(),
//!     trained_on: None,
//! };
//! let mut ppo = Ppo::new(env, config, identity)?;
//! ppo.train(&mut |_progress| ControlFlow::Continue(()))?;
//! let mut policy = ppo.policy();
//! let mut torque = [0.0];
//! policy.act(&[1.0, 0.0, 0.0], &mut torque);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod algorithm;
mod algorithm_config;
mod checkpoint;
mod error;
mod evaluate;
pub mod imitation;
pub mod log;
pub mod network;
pub mod normalization;
mod policy;
pub mod ppo;
mod protobuf;
pub mod run;
pub mod sac;
mod tensor_file;
pub mod training;

pub use agent::Agent;
pub use algorithm::Algorithm;
pub use algorithm_config::{AlgorithmConfig, AlgorithmKind};
pub use checkpoint::CheckpointInfo;
pub use error::RlError;
pub use evaluate::{action_rng, evaluate};
pub use policy::{DenseLayer, ObservationMoments, Policy, PolicyIdentity};
pub use ppo::{Ppo, PpoConfig};
pub use run::{Run, RunOptions};
pub use sac::{Sac, SacConfig};
pub use training::Progress;

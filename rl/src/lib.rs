//! Learning: PPO on vectorised environments, fast on few cores.
//!
//! Knows numbers of shape `[n_envs, …]`, no robots.
//! [`Ppo`] trains, [`Policy`] acts, [`evaluate`] measures, [`Run`] keeps a folder of logs, checkpoints and policy.
//!
//! ```
//! use insonate_envs::{Autoreset, VecConfig, VecEnv, tasks};
//! use insonate_rl::{Control, Policy, PolicyIdentity, Ppo, PpoConfig};
//!
//! let factory = (tasks::by_name("pendulum")?.build)(&toml::Table::new())?;
//! let config = PpoConfig { total_timesteps: 4096, n_envs: 4, ..PpoConfig::default() };
//! let same_step = VecConfig { autoreset: Autoreset::SameStep, ..VecConfig::default() };
//! let env = VecEnv::new(factory.make_many(config.n_envs)?, same_step)?;
//! let identity = PolicyIdentity {
//!     task: factory.task.to_owned(),
//!     settings: factory.settings.to_string(),
//! };
//! let mut ppo = Ppo::new(env, config, identity)?;
//! ppo.train(&mut |_progress| Control::Continue)?;
//! let mut policy = Policy::of(&ppo);
//! let mut torque = [0.0];
//! policy.act(&[1.0, 0.0, 0.0], &mut torque);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
pub mod checkpoint;
pub mod error;
pub mod evaluate;
pub mod log;
pub mod network;
pub mod normalization;
pub mod policy;
pub mod ppo;
pub mod run;
mod tensor_file;

pub use checkpoint::CheckpointInfo;
pub use error::RlError;
pub use evaluate::{Actor, evaluate};
pub use policy::{Policy, PolicyIdentity};
pub use ppo::{Control, Outcome, Ppo, PpoConfig, Progress};
pub use run::{Run, RunOptions};

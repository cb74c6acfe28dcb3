//! Checkpoints: the complete state that a training needs to continue bit-identically.
//!
//! A checkpoint holds weights, moments of Adam, running moments, generators, counts, recent episodes and SAC's replay buffer. Environments
//! are restored by replaying their episodes. Files contain plain numbers and are written atomically.

mod description;
mod episodes;
mod learner;
mod ppo;
mod replay_buffer;
mod rng_state;
mod sac;
mod state;

use std::path::Path;

use insonate_envs::VecEnv;

use crate::RlError;
use crate::algorithm::Algorithm;
use crate::algorithm_config::AlgorithmConfig;
use crate::policy::PolicyIdentity;
use crate::ppo::Ppo;
use crate::sac::Sac;
use crate::tensor_file::{Format, TensorFile};
use description::{Description, SacDescription};

const PPO: Format = Format {
    name: "insonate-checkpoint",
    what: "checkpoint",
    version: 3,
    oldest: 1,
};

const SAC: Format = Format {
    name: "insonate-sac-checkpoint",
    what: "checkpoint",
    version: 1,
    oldest: 1,
};

/// Task, settings and progress of a checkpoint. Reading them needs no environments; they suffice to create them.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointInfo {
    /// Version of insonate that wrote the file.
    pub insonate_version: String,
    /// Task and its settings.
    pub identity: PolicyIdentity,
    /// Settings of the training.
    pub config: AlgorithmConfig,
    /// Iterations completed.
    pub iteration: usize,
    /// Steps of all environments completed.
    pub global_step: u64,
}

impl CheckpointInfo {
    /// Reads and checks a checkpoint.
    ///
    /// # Errors
    /// [`RlError::Io`]; [`RlError::File`] for a file that is corrupt, truncated, of another format or version.
    pub fn load(path: &Path) -> Result<Self, RlError> {
        let file = TensorFile::load_one_of(path, &[PPO, SAC])?;
        let (state, config) = if file.format() == SAC {
            let SacDescription { state, config, .. } = file.content()?;
            (state, AlgorithmConfig::Sac(config))
        } else {
            let Description { state, config, .. } = file.content()?;
            (state, AlgorithmConfig::Ppo(config))
        };
        Ok(Self {
            insonate_version: state.insonate_version,
            identity: state.identity,
            config,
            iteration: state.iteration,
            global_step: state.global_step,
        })
    }
}

/// Resumes a training of any algorithm from its checkpoint; see [`Ppo::resume`].
///
/// # Errors
/// Those of [`Ppo::resume`].
pub(crate) fn resume(env: VecEnv, path: &Path) -> Result<Box<dyn Algorithm>, RlError> {
    let file = TensorFile::load_one_of(path, &[PPO, SAC])?;
    Ok(if file.format() == SAC {
        Box::new(Sac::resume_from(env, file)?)
    } else {
        Box::new(Ppo::resume_from(env, file)?)
    })
}

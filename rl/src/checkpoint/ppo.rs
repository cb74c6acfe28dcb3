//! The checkpoint of PPO.

use std::path::Path;

use insonate_envs::VecEnv;

use super::PPO;
use super::description::Description;
use super::learner::{add_learner, take_learner};
use super::state::{StateRecord, take_environments};
use crate::RlError;
use crate::network::network_sizes;
use crate::policy::{add_moments, check_network, take_moments};
use crate::ppo::Ppo;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

impl Ppo {
    pub(crate) fn save_checkpoint(&self, path: &Path) -> Result<(), RlError> {
        let mut writer = TensorWriter::default();
        add_learner(&mut writer, "actor", &self.actor);
        add_learner(&mut writer, "critic", &self.critic);
        if let Some(constraint) = &self.constraint {
            add_learner(&mut writer, "cost_critic", &constraint.critic);
        }
        add_moments(&mut writer, "return", &self.reward_normalizer.moments);
        let returns = &self.reward_normalizer.returns;
        writer.add("discounted_returns", Tensor::f64(returns, &[returns.len()]));
        let state = StateRecord::add(&self.state, &mut writer, path)?;
        writer.save(path, PPO, &Description::of(self, state))
    }

    /// Resumes from a checkpoint, with new environments of the same task on any number of threads.
    /// [`Algorithm::n_unreproduced_envs`](crate::Algorithm::n_unreproduced_envs) tells whether the environments were restored bit-identically.
    ///
    /// # Errors
    /// [`RlError::Io`]; [`RlError::File`] if the file is corrupt, truncated, or of another format or version; [`RlError::Misfit`] if the
    /// environments differ; [`RlError::Config`] if their number differs; [`RlError::Env`] if they cannot be restored.
    pub fn resume(env: VecEnv, path: &Path) -> Result<Self, RlError> {
        Self::resume_from(env, TensorFile::load(path, PPO)?)
    }

    pub(super) fn resume_from(env: VecEnv, mut file: TensorFile) -> Result<Self, RlError> {
        let description: Description = file.content()?;
        let [observation_space, action_space] =
            description.state.take_spaces(&mut file, env.spec())?;
        let config = &description.config;
        let cost_critic = config.cost_limit.map(|_| ("cost_critic", 1));
        let learners = [("actor", action_space.len()), ("critic", 1)];
        for (learner, n_outputs) in learners.into_iter().chain(cost_critic) {
            let sizes = network_sizes(&config.hidden_sizes, observation_space.len(), n_outputs);
            check_network(&file, learner, &sizes)?;
        }
        config
            .check()
            .map_err(|error| file.invalid(format!("has an invalid setting {error}")))?;

        let mut ppo = Self::new(env, config.clone(), description.state.identity.clone())?;
        ppo.take_state(&mut file, &description)?;
        Ok(ppo)
    }

    fn take_state(
        &mut self,
        file: &mut TensorFile,
        description: &Description,
    ) -> Result<(), RlError> {
        take_learner(file, "actor", &mut self.actor, description.n_adam_steps)?;
        take_learner(file, "critic", &mut self.critic, description.n_adam_steps)?;
        if let Some(constraint) = &mut self.constraint {
            let critic = &mut constraint.critic;
            take_learner(file, "cost_critic", critic, description.n_adam_steps)?;
            let multiplier = description.multiplier.filter(|value| *value >= 0.0);
            constraint.multiplier.value =
                multiplier.ok_or_else(|| file.invalid("has no multiplier of its cost limit"))?;
        }
        self.reward_normalizer.moments = take_moments(file, "return", 1)?;
        self.reward_normalizer.returns =
            file.take_f64("discounted_returns", &[self.config.n_envs])?;
        self.shuffle_rng = description.shuffle_rng.to_rng();
        description.state.take(file, &mut self.state)?;
        take_environments(file, &mut self.state)
    }
}

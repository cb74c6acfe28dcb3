//! The checkpoint of PPO.

use std::path::Path;

use insonate_envs::VecEnv;

use super::PPO;
use super::description::Description;
use super::episodes;
use super::learner::{add_learner, take_learner};
use crate::RlError;
use crate::network::network_sizes;
use crate::normalization::ObservationNormalizer;
use crate::policy::{SpaceRecord, add_moments, check_fits, check_network, take_moments};
use crate::ppo::Ppo;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

impl Ppo {
    /// Writes a checkpoint between two iterations. The old file is kept until the new one is complete and on the disk.
    ///
    /// # Errors
    /// [`RlError::Write`]; [`RlError::File`] for environments that cannot be serialised.
    pub fn save(&self, path: &Path) -> Result<(), RlError> {
        let mut writer = TensorWriter::default();
        add_learner(&mut writer, "actor", &self.actor);
        add_learner(&mut writer, "critic", &self.critic);
        if let Some(constraint) = &self.constraint {
            add_learner(&mut writer, "cost_critic", &constraint.critic);
        }
        add_moments(
            &mut writer,
            "observation",
            self.observation_normalizer.moments(),
        );
        add_moments(&mut writer, "return", &self.reward_normalizer.moments);
        let returns = &self.reward_normalizer.returns;
        writer.add("discounted_returns", Tensor::f64(returns, &[returns.len()]));
        episodes::add(&mut writer, &self.episodes);
        let snapshots = serde_json::to_string(&self.env.snapshot()).map_err(|error| {
            RlError::file(path, format!("cannot hold the environments: {error}"))
        })?;
        writer.add("environments", Tensor::text(snapshots));

        let spec = self.env.spec();
        let spaces = [
            ("observation_space", &spec.observation_space),
            ("action_space", &spec.action_space),
        ];
        let [observation_space, action_space] =
            spaces.map(|(name, space)| SpaceRecord::add(space, name, &mut writer));
        writer.save(
            path,
            PPO,
            &Description::of(self, observation_space, action_space),
        )
    }

    /// Resumes from a checkpoint, with new environments of the same task on any number of threads.
    /// [`Ppo::n_unreproduced_envs`] tells whether the environments were restored bit-identically.
    ///
    /// # Errors
    /// [`RlError::Io`]; [`RlError::File`] if the file is corrupt, truncated, or of another format or version; [`RlError::Misfit`] if the
    /// environments differ; [`RlError::Config`] if their number differs; [`RlError::Env`] if they cannot be restored.
    pub fn resume(env: VecEnv, path: &Path) -> Result<Self, RlError> {
        Self::resume_from(env, TensorFile::load(path, PPO)?)
    }

    pub(super) fn resume_from(env: VecEnv, mut file: TensorFile) -> Result<Self, RlError> {
        let description: Description = file.content()?;
        let observation_space = description
            .observation_space
            .clone()
            .take("observation_space", &mut file)?;
        let action_space = description
            .action_space
            .clone()
            .take("action_space", &mut file)?;
        let spaces = [&observation_space, &action_space];
        check_fits("checkpoint", &description.identity.task, spaces, env.spec())?;
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

        let mut ppo = Self::new(
            env,
            description.config.clone(),
            description.identity.clone(),
        )?;
        ppo.take_state(&mut file, &description)?;
        Ok(ppo)
    }

    fn take_state(
        &mut self,
        file: &mut TensorFile,
        description: &Description,
    ) -> Result<(), RlError> {
        let spec = self.env.spec();
        let n_obs = spec.observation_space.len();
        let widths = [
            spec.metrics.len(),
            spec.reward_terms.len(),
            spec.costs.len(),
        ];
        take_learner(file, "actor", &mut self.actor, description.n_adam_steps)?;
        take_learner(file, "critic", &mut self.critic, description.n_adam_steps)?;
        if let Some(constraint) = &mut self.constraint {
            let critic = &mut constraint.critic;
            take_learner(file, "cost_critic", critic, description.n_adam_steps)?;
            let multiplier = description.multiplier.filter(|value| *value >= 0.0);
            constraint.multiplier.value =
                multiplier.ok_or_else(|| file.invalid("has no multiplier of its cost limit"))?;
        }
        self.observation_normalizer = ObservationNormalizer::new(
            take_moments(file, "observation", n_obs)?,
            self.config.clip_obs,
        );
        self.reward_normalizer.moments = take_moments(file, "return", 1)?;
        self.reward_normalizer.returns =
            file.take_f64("discounted_returns", &[self.config.n_envs])?;
        self.episodes = episodes::take(
            file,
            &description.episodes,
            widths,
            self.config.episode_window,
        )?;
        self.exploration_rng = description.exploration_rng.to_rng();
        self.shuffle_rng = description.shuffle_rng.to_rng();
        self.iteration = description.iteration;
        self.global_step = description.global_step;

        let snapshots = file.take_text("environments")?;
        let snapshots: Vec<_> = serde_json::from_str(&snapshots).map_err(|error| {
            file.invalid(format!("has environments that cannot be read: {error}"))
        })?;
        self.n_unreproduced_envs = self.env.restore(&snapshots)?;
        self.observe();
        Ok(())
    }
}

//! The checkpoint of SAC.

use std::path::Path;

use insonate_envs::VecEnv;

use super::SAC;
use super::description::SacDescription;
use super::learner::{add_learner, take_learner};
use super::{episodes, replay_buffer};
use crate::RlError;
use crate::network::network_sizes;
use crate::normalization::ObservationNormalizer;
use crate::policy::{
    SpaceRecord, add_moments, add_network, check_fits, check_network, take_moments, take_network,
};
use crate::sac::Sac;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

/// Names of the critics.
const CRITICS: [&str; 2] = ["qf1", "qf2"];

impl Sac {
    /// Writes a checkpoint between two iterations. The old file is kept until the new one is complete and on the disk.
    ///
    /// # Errors
    /// [`RlError::Write`]; [`RlError::File`] for environments that cannot be serialised.
    pub fn save(&self, path: &Path) -> Result<(), RlError> {
        let mut writer = TensorWriter::default();
        add_learner(&mut writer, "actor", &self.actor);
        for (name, critic) in CRITICS.iter().zip(&self.critics) {
            add_learner(&mut writer, name, &critic.learner);
            let target = &critic.target;
            add_network(&mut writer, &target_name(name), target, target.parameters());
        }
        let moments = self.observation_normalizer.moments();
        add_moments(&mut writer, "observation", moments);
        replay_buffer::add(&mut writer, &self.replay);
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
        let description = SacDescription::of(self, observation_space, action_space);
        writer.save(path, SAC, &description)
    }

    /// Resumes from a checkpoint, with new environments of the same task on any number of threads.
    /// [`Sac::n_unreproduced_envs`] tells whether the environments were restored bit-identically.
    ///
    /// # Errors
    /// Those of [`Ppo::resume`](crate::Ppo::resume).
    pub fn resume(env: VecEnv, path: &Path) -> Result<Self, RlError> {
        Self::resume_from(env, TensorFile::load(path, SAC)?)
    }

    pub(super) fn resume_from(env: VecEnv, mut file: TensorFile) -> Result<Self, RlError> {
        let description: SacDescription = file.content()?;
        let [observations, actions] = [
            (&description.observation_space, "observation_space"),
            (&description.action_space, "action_space"),
        ]
        .map(|(space, name)| space.clone().take(name, &mut file));
        let (observations, actions) = (observations?, actions?);
        let spaces = [&observations, &actions];
        check_fits("checkpoint", &description.identity.task, spaces, env.spec())?;
        let config = &description.config;
        let (n_obs, n_actions) = (observations.len(), actions.len());
        let critics = CRITICS
            .iter()
            .flat_map(|name| [(*name).to_owned(), target_name(name)]);
        let critics = critics.map(|name| (name, n_obs + n_actions, 1));
        let actor = ("actor".to_owned(), n_obs, 2 * n_actions);
        for (name, n_inputs, n_outputs) in critics.chain([actor]) {
            let sizes = network_sizes(&config.hidden_sizes, n_inputs, n_outputs);
            check_network(&file, &name, &sizes)?;
        }
        config
            .check()
            .map_err(|error| file.invalid(format!("has an invalid setting {error}")))?;

        let mut sac = Self::new(env, config.clone(), description.identity.clone())?;
        sac.take_state(&mut file, &description)?;
        Ok(sac)
    }

    fn take_state(
        &mut self,
        file: &mut TensorFile,
        description: &SacDescription,
    ) -> Result<(), RlError> {
        self.take_learners(file, description)?;
        let spec = self.env.spec();
        let widths = [
            spec.metrics.len(),
            spec.reward_terms.len(),
            spec.costs.len(),
        ];
        let moments = take_moments(file, "observation", self.replay.n_obs)?;
        self.observation_normalizer = ObservationNormalizer::new(moments, self.config.clip_obs);
        replay_buffer::take(file, &description.replay, &mut self.replay)?;
        self.episodes = episodes::take(
            file,
            &description.episodes,
            widths,
            self.config.episode_window,
        )?;
        self.exploration_rng = description.exploration_rng.to_rng();
        self.sample_rng = description.sample_rng.to_rng();
        self.iteration = description.iteration;
        self.global_step = description.global_step;
        self.n_updates = description.n_updates;
        // With too many steps, learning would stop; with too few, the next iteration would be very long.
        if self.n_updates != self.config.n_updates(self.global_step) {
            let (n, step) = (self.n_updates, self.global_step);
            return Err(file.invalid(format!("has {n} gradient steps after {step} steps")));
        }

        let snapshots = file.take_text("environments")?;
        let snapshots: Vec<_> = serde_json::from_str(&snapshots).map_err(|error| {
            file.invalid(format!("has environments that cannot be read: {error}"))
        })?;
        self.n_unreproduced_envs = self.env.restore(&snapshots)?;
        self.observe();
        Ok(())
    }

    fn take_learners(
        &mut self,
        file: &mut TensorFile,
        description: &SacDescription,
    ) -> Result<(), RlError> {
        let [actor, first, second, alpha] = description.n_adam_steps;
        take_learner(file, "actor", &mut self.actor, actor)?;
        let critics = self.critics.iter_mut().zip([first, second]);
        for (name, (critic, n_adam_steps)) in CRITICS.iter().zip(critics) {
            take_learner(file, name, &mut critic.learner, n_adam_steps)?;
            let mut target = critic.target.parameters().clone();
            take_network(file, &target_name(name), &critic.target, &mut target)?;
            critic.target.parameters_mut().copy_from_slice(&target);
        }
        let (log_alpha, moments) = (description.log_alpha, description.alpha_moments);
        if !log_alpha.is_finite() || moments.iter().any(|x| !x.is_finite()) {
            return Err(file.invalid("has a temperature that is not finite"));
        }
        self.temperature.restore(log_alpha, moments, alpha);
        Ok(())
    }
}

fn target_name(critic: &str) -> String {
    format!("{critic}_target")
}

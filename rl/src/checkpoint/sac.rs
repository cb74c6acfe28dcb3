//! The checkpoint of SAC.

use std::path::Path;

use insonate_envs::VecEnv;

use super::SAC;
use super::description::SacDescription;
use super::learner::{add_learner, take_learner};
use super::replay_buffer;
use super::state::{StateRecord, take_environments};
use crate::RlError;
use crate::network::network_sizes;
use crate::policy::{add_network, check_network, take_network};
use crate::sac::Sac;
use crate::tensor_file::{TensorFile, TensorWriter};

/// Names of the critics.
const CRITICS: [&str; 2] = ["qf1", "qf2"];

impl Sac {
    pub(crate) fn save_checkpoint(&self, path: &Path) -> Result<(), RlError> {
        let mut writer = TensorWriter::default();
        add_learner(&mut writer, "actor", &self.actor);
        for (name, critic) in CRITICS.iter().zip(&self.critics) {
            add_learner(&mut writer, name, &critic.learner);
            let target = &critic.target;
            add_network(&mut writer, &target_name(name), target, target.parameters());
        }
        replay_buffer::add(&mut writer, &self.replay);
        let state = StateRecord::add(&self.state, &mut writer, path)?;
        writer.save(path, SAC, &SacDescription::of(self, state))
    }

    /// Resumes from a checkpoint, with new environments of the same task on any number of threads.
    /// [`Algorithm::n_unreproduced_envs`](crate::Algorithm::n_unreproduced_envs) tells whether the environments were restored bit-identically.
    ///
    /// # Errors
    /// Those of [`Ppo::resume`](crate::Ppo::resume).
    pub fn resume(env: VecEnv, path: &Path) -> Result<Self, RlError> {
        Self::resume_from(env, TensorFile::load(path, SAC)?)
    }

    pub(super) fn resume_from(env: VecEnv, mut file: TensorFile) -> Result<Self, RlError> {
        let description: SacDescription = file.content()?;
        let [observations, actions] = description.state.take_spaces(&mut file, env.spec())?;
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

        let mut sac = Self::new(env, config.clone(), description.state.identity.clone())?;
        sac.take_state(&mut file, &description)?;
        Ok(sac)
    }

    fn take_state(
        &mut self,
        file: &mut TensorFile,
        description: &SacDescription,
    ) -> Result<(), RlError> {
        self.take_learners(file, description)?;
        replay_buffer::take(file, &description.replay, &mut self.replay)?;
        description.state.take(file, &mut self.state)?;
        self.sample_rng = description.sample_rng.to_rng();
        self.n_updates = description.n_updates;
        // With too many steps, learning would stop; with too few, the next iteration would be very long.
        if self.n_updates != self.config.n_updates(self.state.global_step) {
            let (n, step) = (self.n_updates, self.state.global_step);
            return Err(file.invalid(format!("has {n} gradient steps after {step} steps")));
        }

        take_environments(file, &mut self.state)
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

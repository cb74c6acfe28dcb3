//! The part of a checkpoint that every algorithm has.

use std::path::Path;

use insonate_envs::BoxSpace;
use serde::{Deserialize, Serialize};

use super::episodes::{self, EpisodeCounts};
use super::rng_state::RngState;
use crate::RlError;
use crate::policy::{PolicyIdentity, SpaceRecord, add_moments, check_fits, take_moments};
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};
use crate::training::TrainingState;

/// Description of a [`TrainingState`]. Arrays are stored as tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StateRecord {
    pub(super) insonate_version: String,
    pub(super) identity: PolicyIdentity,
    pub(super) iteration: usize,
    pub(super) global_step: u64,
    episodes: EpisodeCounts,
    exploration_rng: RngState,
    observation_space: SpaceRecord,
    action_space: SpaceRecord,
}

impl StateRecord {
    /// Adds the arrays of a state to a file for `path`.
    ///
    /// # Errors
    /// [`RlError::File`] for environments that cannot be serialised.
    pub(super) fn add(
        state: &TrainingState,
        writer: &mut TensorWriter,
        path: &Path,
    ) -> Result<Self, RlError> {
        let moments = state.observation_normalizer.moments();
        add_moments(writer, "observation", moments);
        episodes::add(writer, &state.episodes);
        let snapshots = serde_json::to_string(&state.env.snapshot()).map_err(|error| {
            RlError::file(path, format!("cannot hold the environments: {error}"))
        })?;
        writer.add("environments", Tensor::text(snapshots));
        let spec = state.env.spec();
        Ok(Self {
            insonate_version: env!("CARGO_PKG_VERSION").to_owned(),
            identity: state.identity.clone(),
            iteration: state.iteration,
            global_step: state.global_step,
            episodes: EpisodeCounts::of(&state.episodes),
            exploration_rng: RngState::of(&state.exploration_rng),
            observation_space: SpaceRecord::add(
                &spec.observation_space,
                "observation_space",
                writer,
            ),
            action_space: SpaceRecord::add(&spec.action_space, "action_space", writer),
        })
    }

    /// Reads the spaces of observations and actions, and checks that the environments have them.
    ///
    /// # Errors
    /// [`RlError::File`] for invalid spaces; [`RlError::Misfit`] if the environments differ.
    pub(super) fn take_spaces(
        &self,
        file: &mut TensorFile,
        spec: &insonate_envs::EnvSpec,
    ) -> Result<[BoxSpace; 2], RlError> {
        let observations = self.observation_space.clone();
        let observations = observations.take("observation_space", file)?;
        let actions = self.action_space.clone().take("action_space", file)?;
        let spaces = [&observations, &actions];
        check_fits("checkpoint", &self.identity.task, spaces, spec)?;
        Ok([observations, actions])
    }

    /// Reads moments, episodes, generator and counts. The environments follow in [`take_environments`].
    ///
    /// # Errors
    /// [`RlError::File`] for arrays that are missing or of other shapes.
    pub(super) fn take(
        &self,
        file: &mut TensorFile,
        state: &mut TrainingState,
    ) -> Result<(), RlError> {
        let spec = state.env.spec();
        let widths = [
            spec.metrics.len(),
            spec.reward_terms.len(),
            spec.costs.len(),
        ];
        let n_obs = spec.observation_space.len();
        state.set_moments(take_moments(file, "observation", n_obs)?);
        let capacity = state.settings.episode_window;
        state.episodes = episodes::take(file, &self.episodes, widths, capacity)?;
        state.exploration_rng = self.exploration_rng.to_rng();
        state.iteration = self.iteration;
        state.global_step = self.global_step;
        Ok(())
    }
}

/// Restores the environments of a state, which replay their episodes.
///
/// # Errors
/// [`RlError::File`] if they cannot be read; [`RlError::Env`] if they cannot be restored.
pub(super) fn take_environments(
    file: &mut TensorFile,
    state: &mut TrainingState,
) -> Result<(), RlError> {
    let snapshots = file.take_text("environments")?;
    let snapshots: Vec<_> = serde_json::from_str(&snapshots)
        .map_err(|error| file.invalid(format!("has environments that cannot be read: {error}")))?;
    state.n_unreproduced_envs = state.env.restore(&snapshots)?;
    state.observe();
    Ok(())
}

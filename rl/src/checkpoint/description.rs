//! The JSON description in a checkpoint; arrays are tensors.

use serde::{Deserialize, Serialize};

use super::episodes::EpisodeCounts;
use super::rng_state::RngState;
use crate::policy::{PolicyIdentity, SpaceRecord};
use crate::ppo::{Ppo, PpoConfig};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    pub(super) insonate_version: String,
    pub(super) identity: PolicyIdentity,
    pub(super) config: PpoConfig,
    pub(super) iteration: usize,
    pub(super) global_step: u64,
    pub(super) n_adam_steps: u64,
    /// λ; none without a limit of the cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) multiplier: Option<f64>,
    pub(super) episodes: EpisodeCounts,
    pub(super) exploration_rng: RngState,
    pub(super) shuffle_rng: RngState,
    pub(super) observation_space: SpaceRecord,
    pub(super) action_space: SpaceRecord,
}

impl Description {
    pub(super) fn of(ppo: &Ppo, observation_space: SpaceRecord, action_space: SpaceRecord) -> Self {
        Self {
            insonate_version: env!("CARGO_PKG_VERSION").to_owned(),
            identity: ppo.identity.clone(),
            config: ppo.config.clone(),
            iteration: ppo.iteration,
            global_step: ppo.global_step,
            n_adam_steps: ppo.actor.adam.n_steps,
            multiplier: ppo.constraint.as_ref().map(|c| c.multiplier.value),
            episodes: EpisodeCounts::of(&ppo.episodes),
            exploration_rng: RngState::of(&ppo.exploration_rng),
            shuffle_rng: RngState::of(&ppo.shuffle_rng),
            observation_space,
            action_space,
        }
    }
}

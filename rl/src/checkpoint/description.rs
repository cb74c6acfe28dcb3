//! The JSON description in a checkpoint. Arrays are stored as tensors.

use serde::{Deserialize, Serialize};

use super::episodes::EpisodeCounts;
use super::replay_buffer::ReplayCounts;
use super::rng_state::RngState;
use crate::policy::{PolicyIdentity, SpaceRecord};
use crate::ppo::{Ppo, PpoConfig};
use crate::sac::{Sac, SacConfig};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    pub(super) insonate_version: String,
    pub(super) identity: PolicyIdentity,
    pub(super) config: PpoConfig,
    pub(super) iteration: usize,
    pub(super) global_step: u64,
    pub(super) n_adam_steps: u64,
    /// λ. `None` without a cost limit.
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

/// The description in a checkpoint of SAC.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SacDescription {
    pub(super) insonate_version: String,
    pub(super) identity: PolicyIdentity,
    pub(super) config: SacConfig,
    pub(super) iteration: usize,
    pub(super) global_step: u64,
    pub(super) n_updates: u64,
    /// Adam steps of actor, critics and temperature. A step is skipped if its gradient is not finite.
    pub(super) n_adam_steps: [u64; 4],
    pub(super) log_alpha: f32,
    /// Adam's first and second moment of ln α.
    pub(super) alpha_moments: [f32; 2],
    pub(super) replay: ReplayCounts,
    pub(super) episodes: EpisodeCounts,
    pub(super) exploration_rng: RngState,
    pub(super) sample_rng: RngState,
    pub(super) observation_space: SpaceRecord,
    pub(super) action_space: SpaceRecord,
}

impl SacDescription {
    pub(super) fn of(sac: &Sac, observation_space: SpaceRecord, action_space: SpaceRecord) -> Self {
        let [first, second] = &sac.critics;
        let (log_alpha, adam) = (sac.temperature.log_alpha(), sac.temperature.adam());
        Self {
            insonate_version: env!("CARGO_PKG_VERSION").to_owned(),
            identity: sac.identity.clone(),
            config: sac.config.clone(),
            iteration: sac.iteration,
            global_step: sac.global_step,
            n_updates: sac.n_updates,
            n_adam_steps: [
                &sac.actor.adam,
                &first.learner.adam,
                &second.learner.adam,
                adam,
            ]
            .map(|adam| adam.n_steps),
            log_alpha,
            alpha_moments: [adam.first_moment[0], adam.second_moment[0]],
            replay: ReplayCounts::of(&sac.replay),
            episodes: EpisodeCounts::of(&sac.episodes),
            exploration_rng: RngState::of(&sac.exploration_rng),
            sample_rng: RngState::of(&sac.sample_rng),
            observation_space,
            action_space,
        }
    }
}

//! The JSON description in a checkpoint. Arrays are stored as tensors.

use serde::{Deserialize, Serialize};

use super::replay_buffer::ReplayCounts;
use super::rng_state::RngState;
use super::state::StateRecord;
use crate::ppo::{Ppo, PpoConfig};
use crate::sac::{Sac, SacConfig};

/// The description in a checkpoint of PPO.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Description {
    #[serde(flatten)]
    pub(super) state: StateRecord,
    pub(super) config: PpoConfig,
    pub(super) n_adam_steps: u64,
    /// λ. `None` without a cost limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) multiplier: Option<f64>,
    pub(super) shuffle_rng: RngState,
}

impl Description {
    pub(super) fn of(ppo: &Ppo, state: StateRecord) -> Self {
        Self {
            state,
            config: ppo.config.clone(),
            n_adam_steps: ppo.actor.adam.n_steps,
            multiplier: ppo.constraint.as_ref().map(|c| c.multiplier.value),
            shuffle_rng: RngState::of(&ppo.shuffle_rng),
        }
    }
}

/// The description in a checkpoint of SAC.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SacDescription {
    #[serde(flatten)]
    pub(super) state: StateRecord,
    pub(super) config: SacConfig,
    pub(super) n_updates: u64,
    /// Adam steps of actor, critics and temperature. A step is skipped if its gradient is not finite.
    pub(super) n_adam_steps: [u64; 4],
    pub(super) log_alpha: f32,
    /// Adam's first and second moment of ln α.
    pub(super) alpha_moments: [f32; 2],
    pub(super) replay: ReplayCounts,
    pub(super) sample_rng: RngState,
}

impl SacDescription {
    pub(super) fn of(sac: &Sac, state: StateRecord) -> Self {
        let [first, second] = &sac.critics;
        let (log_alpha, adam) = (sac.temperature.log_alpha(), sac.temperature.adam());
        Self {
            state,
            config: sac.config.clone(),
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
            sample_rng: RngState::of(&sac.sample_rng),
        }
    }
}

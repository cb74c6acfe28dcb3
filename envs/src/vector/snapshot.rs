//! The state of one environment of a vector as plain data, restored by replaying its episode.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::slot::{Phase, Slot};
use crate::EnvError;

/// All that is needed to go on with an environment as if nothing had happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvSnapshot {
    /// Seed of its stream of episode seeds.
    pub stream_seed: u64,
    /// How many episode seeds were drawn.
    pub n_drawn: u64,
    /// Its episode; none before the first reset.
    pub episode: Option<EpisodeSnapshot>,
}

/// An episode so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeSnapshot {
    /// Its seed.
    pub seed: u64,
    /// Random parameters that were fixed, by name.
    pub parameters: BTreeMap<String, f64>,
    /// All actions since its start, shape `[length, n_actions]`.
    pub actions: Vec<f32>,
    /// The observation after them, shape `[n_obs]`: what the replay must come to.
    pub observation: Vec<f32>,
    /// Reward of the last step.
    pub reward: f64,
    /// Whether the last step terminated an episode.
    pub terminated: bool,
    /// Whether the last step truncated an episode.
    pub truncated: bool,
}

impl EnvSnapshot {
    pub(super) fn of(slot: &Slot) -> Self {
        let episode = (slot.phase != Phase::Unready).then(|| EpisodeSnapshot {
            seed: slot.episode_seed,
            parameters: slot.options.parameters.clone(),
            actions: slot.actions.clone(),
            observation: slot.observation.clone(),
            reward: slot.step.reward,
            terminated: slot.step.terminated,
            truncated: slot.step.truncated,
        });
        Self {
            stream_seed: slot.stream_seed,
            n_drawn: slot.n_drawn,
            episode,
        }
    }

    /// Whether the snapshot can be of such an environment.
    pub(super) fn check(&self, slot: &Slot) -> Result<(), EnvError> {
        let Some(episode) = &self.episode else {
            return Ok(());
        };
        let spec = slot.env.spec();
        let lengths = [
            (
                "actions of the snapshot",
                episode.actions.len() % slot.action.len(),
                0,
            ),
            (
                "observation of the snapshot",
                episode.observation.len(),
                spec.observation_space.len(),
            ),
        ];
        for (what, found, expected) in lengths {
            if found != expected {
                return Err(EnvError::Length {
                    what,
                    expected,
                    found,
                });
            }
        }
        Ok(())
    }
}

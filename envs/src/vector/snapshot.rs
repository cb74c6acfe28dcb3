//! The state of one environment of a vector as plain data, restored by replaying its episode.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Data to resume an environment bit-identically.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvSnapshot {
    /// Seed of its stream of episode seeds.
    pub stream_seed: u64,
    /// Number of episode seeds drawn.
    pub n_drawn: u64,
    /// Current episode. `None` before the first reset.
    pub episode: Option<EpisodeSnapshot>,
}

/// An episode so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeSnapshot {
    /// Seed of the episode.
    pub seed: u64,
    /// Fixed random parameters, by name.
    pub parameters: BTreeMap<String, f64>,
    /// All actions since its start, shape `[length, n_actions]`.
    pub actions: Vec<f32>,
    /// The observation after these actions, shape `[n_obs]`. The replay must reproduce it.
    pub observation: Vec<f32>,
    /// Reward of the last step.
    pub reward: f64,
    /// Whether the last step terminated an episode.
    pub terminated: bool,
    /// Whether the last step truncated an episode.
    pub truncated: bool,
}

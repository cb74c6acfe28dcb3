//! The state of one environment of a vector as plain data, restored by replaying its episode.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// All that is needed to resume an environment bit-identically.
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
    /// The observation after them, shape `[n_obs]`: what the replay must reproduce.
    pub observation: Vec<f32>,
    /// Reward of the last step.
    pub reward: f64,
    /// Whether the last step terminated an episode.
    pub terminated: bool,
    /// Whether the last step truncated an episode.
    pub truncated: bool,
}

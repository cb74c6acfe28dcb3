//! Settings of a vector of environments.

use serde::{Deserialize, Serialize};

/// When an environment begins the next episode after an end, as in Gymnasium's `AutoresetMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autoreset {
    /// In the next step: that step ignores the action, its observation is the first of the new episode, its reward is 0, and it
    /// is neither terminated nor truncated.
    #[default]
    NextStep,
    /// In the same step: its observation is the first of the new episode, and the last one of the old episode is in
    /// [`Batch::final_observations`](super::Batch::final_observations).
    SameStep,
    /// Never: a step after the end is an error until a reset.
    Disabled,
}

/// Settings of a [`VecEnv`](super::VecEnv).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VecConfig {
    /// When the next episode begins.
    pub autoreset: Autoreset,
    /// Number of threads that step, including the caller's. 0: one per core. Results do not depend on it. Environments with torsos on a GPU
    /// have a thread each, because they wait for it together.
    pub n_threads: usize,
}

/// Whether an environment of a vector starts an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It continues its episode.
    Stay,
    /// It restarts its stream of episode seeds with this seed. `None`: it draws the next seed of its stream.
    Reset(Option<u64>),
}

//! Settings of a vector of environments.

use serde::{Deserialize, Serialize};

/// When an environment whose episode is over begins the next one, as Gymnasium's `AutoresetMode`.
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
    /// Never: a step after the end is an error until the environment is reset.
    Disabled,
}

/// Settings of a [`VecEnv`](super::VecEnv).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VecConfig {
    /// When the next episode begins.
    pub autoreset: Autoreset,
    /// Threads that step, the caller's among them; 0: one for each core. Results do not depend on it.
    pub n_threads: usize,
}

/// Whether an environment of a vector begins an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It stays in its episode.
    Stay,
    /// It begins its stream of episode seeds anew with this seed; none: it draws the next one of its stream.
    Reset(Option<u64>),
}

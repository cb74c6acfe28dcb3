//! What a policy was trained for.

use serde::{Deserialize, Serialize};

/// Task and settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyIdentity {
    /// The task's name, such as `probe-sweep`.
    pub task: String,
    /// The task's settings, every one of them, as TOML.
    pub settings: String,
}

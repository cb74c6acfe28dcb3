//! Task and settings of a policy's training.

use serde::{Deserialize, Serialize};

/// Task and settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyIdentity {
    /// The task's name, such as `probe-sweep`.
    pub task: String,
    /// All settings of the task, as TOML.
    pub settings: String,
    /// Names of the made patients of its training and of the trainings before it. `None` in files without them: those of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<Vec<String>>,
}

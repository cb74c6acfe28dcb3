//! Registry entry of a task.

use crate::EnvError;
use crate::factory::EnvFactory;

/// Settings as dotted names and TOML values. A value that is not valid TOML is a string.
pub type Assignments = &'static [(&'static str, &'static str)];

/// Creates a factory for given settings.
pub type Build = dyn Fn(&toml::Table) -> Result<EnvFactory, EnvError> + Send + Sync;

/// A kind of task.
#[derive(Clone, Copy)]
pub struct TaskKind {
    /// Name, such as `probe-sweep`.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// All settings with their defaults.
    pub defaults: &'static (dyn Fn() -> toml::Table + Send + Sync),
    /// Creates a factory for given settings. Missing settings have their defaults.
    pub build: &'static Build,
    /// Settings of the task for its scripted policy.
    pub scripted: Assignments,
    /// Settings for demonstrations, if the scripted policy otherwise always outputs zero actions. Empty: the settings above.
    pub demonstrated: Assignments,
    /// Whether a study can judge fitted torsos by policies for it: it needs a torso and a desired force in contact.
    pub is_studied: bool,
    /// Recommended settings of PPO that differ from those for any task.
    pub ppo: Assignments,
    /// Recommended settings of SAC that differ from those for any task.
    pub sac: Assignments,
}

impl std::fmt::Debug for TaskKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskKind")
            .field("name", &self.name)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

//! Registry entry of a task.

use crate::EnvError;
use crate::factory::EnvFactory;

/// A kind of task.
#[derive(Debug, Clone, Copy)]
pub struct TaskKind {
    /// Name, such as `probe-sweep`.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// All settings with their defaults.
    pub defaults: fn() -> toml::Table,
    /// Creates a factory for given settings. Missing settings have their defaults.
    pub build: fn(&toml::Table) -> Result<EnvFactory, EnvError>,
    /// Settings for the scripted policy, as dotted names and TOML values.
    pub scripted: &'static [(&'static str, &'static str)],
    /// Settings for demonstrations, if the scripted policy otherwise always outputs zero actions. Empty: the settings above.
    pub demonstrated: &'static [(&'static str, &'static str)],
}

//! The registry's entry of a task.

use crate::EnvError;
use crate::factory::EnvFactory;

/// A kind of task.
#[derive(Debug, Clone, Copy)]
pub struct TaskKind {
    /// Its name, such as `probe-sweep`.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Every setting with its default.
    pub defaults: fn() -> toml::Table,
    /// Makes a factory of some settings; those not given have their defaults.
    pub build: fn(&toml::Table) -> Result<EnvFactory, EnvError>,
    /// Settings that the scripted policy runs with, as dotted names and TOML values.
    pub scripted: &'static [(&'static str, &'static str)],
    /// Settings that it demonstrates with, where its actions are otherwise always zero and teach nothing; empty: those above.
    pub demonstrated: &'static [(&'static str, &'static str)],
}

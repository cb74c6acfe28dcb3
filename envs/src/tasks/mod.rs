//! Tasks: one file each, listed in [`ALL`].

pub mod cube_push;
pub mod pendulum;
pub mod probe_press;
pub mod probe_reach;
pub mod probe_sweep;
pub mod reacher;
pub mod table_slide;
pub mod tissue_reach;
pub mod tissue_retract;

use crate::{Env, EnvError};

/// Settings of a task, complete and checked, and a maker of its environments.
///
/// All environments of a factory share its compiled scenes.
pub struct EnvFactory {
    /// The task's name.
    pub task: &'static str,
    /// Every setting with its value: what was given, and defaults for the rest.
    pub settings: toml::Table,
    make: Box<dyn Fn() -> Result<Box<dyn Env>, EnvError> + Send + Sync>,
}

impl EnvFactory {
    /// A factory.
    pub fn new(
        task: &'static str,
        settings: toml::Table,
        make: impl Fn() -> Result<Box<dyn Env>, EnvError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            task,
            settings,
            make: Box::new(make),
        }
    }

    /// A new environment; it must be reset before its first step.
    ///
    /// # Errors
    /// What the task needs and cannot have.
    pub fn make(&self) -> Result<Box<dyn Env>, EnvError> {
        (self.make)()
    }

    /// So many environments.
    ///
    /// # Errors
    /// As [`EnvFactory::make`].
    pub fn make_many(&self, n_envs: usize) -> Result<Vec<Box<dyn Env>>, EnvError> {
        (0..n_envs).map(|_| self.make()).collect()
    }
}

impl std::fmt::Debug for EnvFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnvFactory")
            .field("task", &self.task)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

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
}

/// Every task.
pub const ALL: &[TaskKind] = &[
    probe_sweep::KIND,
    probe_press::KIND,
    probe_reach::KIND,
    cube_push::KIND,
    table_slide::KIND,
    tissue_reach::KIND,
    tissue_retract::KIND,
    pendulum::KIND,
    reacher::KIND,
];

/// The task called `name`.
///
/// # Errors
/// [`EnvError::Unknown`], listing the known ones.
pub fn by_name(name: &str) -> Result<&'static TaskKind, EnvError> {
    let known: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
    ALL.iter()
        .find(|kind| kind.name == name)
        .ok_or_else(|| EnvError::unknown("task", name, &known))
}

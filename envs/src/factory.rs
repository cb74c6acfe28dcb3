//! Factories: they create the environments of one task with given settings.

use crate::{Env, EnvError};

type MakeMany = dyn Fn(usize) -> Result<Vec<Box<dyn Env>>, EnvError> + Send + Sync;

/// Creates environments of a task with given settings. The environments share constant data such as compiled scenes.
pub struct EnvFactory {
    /// The task's name.
    pub task: &'static str,
    /// All settings with their values, given or default.
    pub settings: toml::Table,
    /// What the user should know about the settings, such as what was changed in a robot file.
    pub warnings: Vec<String>,
    make_many: Box<MakeMany>,
}

impl EnvFactory {
    /// Creates a factory of the task `task`; `make` creates its environments.
    pub fn new(
        task: &'static str,
        settings: toml::Table,
        make: impl Fn() -> Result<Box<dyn Env>, EnvError> + Send + Sync + 'static,
    ) -> Self {
        Self::in_groups(task, settings, move |n_envs| {
            (0..n_envs).map(|_| make()).collect()
        })
    }

    /// Creates a factory of environments that advance together ([`Lockstep`](crate::Lockstep)) if one call of `make_many` creates them.
    pub fn in_groups(
        task: &'static str,
        settings: toml::Table,
        make_many: impl Fn(usize) -> Result<Vec<Box<dyn Env>>, EnvError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            task,
            settings,
            warnings: Vec::new(),
            make_many: Box::new(make_many),
        }
    }

    /// Creates an environment. It must be reset before its first step.
    ///
    /// # Errors
    /// Errors of the task.
    pub fn make(&self) -> Result<Box<dyn Env>, EnvError> {
        let made = (self.make_many)(1)?.pop();
        made.ok_or_else(|| EnvError::Failed(format!("no environment of {} was made", self.task)))
    }

    /// Creates `n_envs` environments.
    ///
    /// # Errors
    /// Those of [`EnvFactory::make`].
    pub fn make_many(&self, n_envs: usize) -> Result<Vec<Box<dyn Env>>, EnvError> {
        (self.make_many)(n_envs)
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

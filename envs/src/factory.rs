//! Makers of the environments of one task with given settings.

use crate::{Env, EnvError};

type MakeMany = dyn Fn(usize) -> Result<Vec<Box<dyn Env>>, EnvError> + Send + Sync;

/// Makes the environments of a task with given settings; they share what is constant, such as compiled scenes.
pub struct EnvFactory {
    /// The task's name.
    pub task: &'static str,
    /// Every setting with its value, given or default.
    pub settings: toml::Table,
    make_many: Box<MakeMany>,
}

impl EnvFactory {
    /// A factory of the task `task`, whose environments `make` makes.
    pub fn new(
        task: &'static str,
        settings: toml::Table,
        make: impl Fn() -> Result<Box<dyn Env>, EnvError> + Send + Sync + 'static,
    ) -> Self {
        Self::in_groups(task, settings, move |n_envs| {
            (0..n_envs).map(|_| make()).collect()
        })
    }

    /// A factory of environments that advance together ([`Lockstep`](crate::Lockstep)) where they are made together by `make_many`.
    pub fn in_groups(
        task: &'static str,
        settings: toml::Table,
        make_many: impl Fn(usize) -> Result<Vec<Box<dyn Env>>, EnvError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            task,
            settings,
            make_many: Box::new(make_many),
        }
    }

    /// A new environment; it must be reset before its first step.
    ///
    /// # Errors
    /// What the task needs and does not get.
    pub fn make(&self) -> Result<Box<dyn Env>, EnvError> {
        let made = (self.make_many)(1)?.pop();
        made.ok_or_else(|| EnvError::Failed(format!("no environment of {} was made", self.task)))
    }

    /// `n_envs` environments.
    ///
    /// # Errors
    /// As [`EnvFactory::make`].
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

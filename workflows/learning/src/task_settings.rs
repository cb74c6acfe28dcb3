//! Settings of a task: a table, and another one that overrides it.

use insonate_envs::EnvError;
use insonate_envs::settings::overlay;
use insonate_envs::tasks::{self, EnvFactory};
use toml::Table;

/// Settings of a task with overrides, checked.
///
/// # Errors
/// [`EnvError::Unknown`] for the task; [`EnvError::Config`].
pub fn resolve_env(task: &str, base: &Table, over: &Table) -> Result<EnvFactory, EnvError> {
    let kind = tasks::by_name(task)?;
    let mut all = base.clone();
    let over = kind.expand(over).map_err(|error| within("env", error))?;
    overlay(&mut all, &over);
    (kind.build)(&all).map_err(|error| within("env", error))
}

/// Adds the part to the name of the setting in an error.
pub(crate) fn within(part: &str, error: EnvError) -> EnvError {
    match error {
        EnvError::Config { field, problem } => EnvError::Config {
            field: format!("{part}.{field}"),
            problem,
        },
        EnvError::OutOfRange(error) => EnvError::OutOfRange(error.within(part)),
        other => other,
    }
}

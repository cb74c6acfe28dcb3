//! Settings of a task: a table, and another one that overrides it.

use insonate_envs::EnvError;
use insonate_envs::tasks::{self, EnvFactory};
use toml::{Table, Value};

/// Settings of a task with overrides, checked.
///
/// # Errors
/// [`EnvError::Unknown`] for the task; [`EnvError::Config`].
pub fn resolve_env(task: &str, base: &Table, over: &Table) -> Result<EnvFactory, EnvError> {
    let mut all = base.clone();
    overlay(&mut all, over);
    let kind = tasks::by_name(task)?;
    (kind.build)(&all).map_err(|error| within("env", error))
}

/// Writes the entries of `over` into `base`, recursively.
pub(crate) fn overlay(base: &mut Table, over: &Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
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

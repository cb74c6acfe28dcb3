//! Tasks: one file each, listed in [`ALL`].

pub mod continuum_navigate;
pub mod coverage;
pub mod cube_push;
pub mod find_view;
pub mod image_quality;
mod kind;
pub mod pendulum;
pub mod probe_press;
pub mod probe_reach;
pub mod probe_sweep;
pub mod reacher;
pub mod table_slide;
pub mod tissue_reach;
pub mod tissue_retract;
mod ultrasound_tasks;

pub use crate::factory::EnvFactory;
pub use kind::{Assignments, TaskKind};

use crate::{EnvError, settings};

/// All tasks.
pub const ALL: &[TaskKind] = &[
    probe_sweep::KIND,
    probe_press::KIND,
    probe_reach::KIND,
    cube_push::KIND,
    table_slide::KIND,
    find_view::KIND,
    image_quality::KIND,
    coverage::KIND,
    tissue_reach::KIND,
    tissue_retract::KIND,
    continuum_navigate::KIND,
    pendulum::KIND,
    reacher::KIND,
];

/// Returns the task called `name`.
///
/// # Errors
/// [`EnvError::Unknown`] with the list of known tasks.
pub fn by_name(name: &str) -> Result<&'static TaskKind, EnvError> {
    let known: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
    ALL.iter()
        .find(|kind| kind.name == name)
        .ok_or_else(|| EnvError::unknown("task", name, &known))
}

/// Creates a factory of the task called `name`. `sets` are dotted names and TOML values; other settings have their defaults.
///
/// # Errors
/// [`EnvError::Unknown`] for the task; errors of its settings.
pub fn factory(name: &str, sets: &[(&str, &str)]) -> Result<EnvFactory, EnvError> {
    (by_name(name)?.build)(&settings::assign(sets)?)
}

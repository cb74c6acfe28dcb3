//! Tasks: one file each, listed in [`ALL`]. A program can [`register`] more.

pub mod continuum_navigate;
pub mod coverage;
pub mod cube_push;
pub mod find_view;
pub mod image_quality;
mod kind;
pub mod needle_biopsy;
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
pub use kind::{Assignments, Build, Profile, TaskKind};

use std::sync::{PoisonError, RwLock};

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
    needle_biopsy::KIND,
    pendulum::KIND,
    reacher::KIND,
];

/// Tasks that the program has added, oldest first.
static REGISTERED: RwLock<Vec<&'static TaskKind>> = RwLock::new(Vec::new());

/// Adds a task, so that everything that takes a task's name knows it until the program ends. A registered task of the same name is replaced.
///
/// # Errors
/// [`EnvError::Config`] if the name is that of a task in [`ALL`], or holds other characters than lower-case letters, digits and hyphens.
pub fn register(kind: TaskKind) -> Result<(), EnvError> {
    let refused = |problem: &str| EnvError::Config {
        field: "task".to_owned(),
        problem: format!("{:?} {problem}", kind.name),
    };
    let is_allowed = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-');
    if !kind
        .name
        .starts_with(|first: char| first.is_ascii_lowercase())
        || !kind.name.chars().all(is_allowed)
    {
        return Err(refused(
            "is not the name of a task: use lower-case letters, digits and hyphens, and begin with a letter",
        ));
    }
    if ALL.iter().any(|known| known.name == kind.name) {
        return Err(refused("is a task of insonate: choose another name"));
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|known| known.name != kind.name);
    registered.push(Box::leak(Box::new(kind)));
    Ok(())
}

/// All tasks: those of [`ALL`], and the registered ones.
pub fn all() -> Vec<&'static TaskKind> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    ALL.iter().chain(registered.iter().copied()).collect()
}

/// Returns the task called `name`.
///
/// # Errors
/// [`EnvError::Unknown`] with the list of known tasks.
pub fn by_name(name: &str) -> Result<&'static TaskKind, EnvError> {
    let all = all();
    let found = all.iter().find(|kind| kind.name == name).copied();
    found.ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|kind| kind.name).collect();
        EnvError::unknown("task", name, &known)
    })
}

/// Creates a factory of the task called `name`. `sets` are dotted names and TOML values; other settings have their defaults.
///
/// # Errors
/// [`EnvError::Unknown`] for the task; errors of its settings.
pub fn factory(name: &str, sets: &[(&str, &str)]) -> Result<EnvFactory, EnvError> {
    by_name(name)?.factory(&settings::assign(sets)?)
}

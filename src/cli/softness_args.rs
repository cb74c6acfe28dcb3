//! What is said of a softness file: notes, and what to do about an error.

use insonate::experiments::SoftnessError;
use insonate::models::ModelError;
use insonate::models::torsos;

use super::Usage;

/// Writes notes to standard error.
pub(super) fn tell<'a>(notes: impl IntoIterator<Item = &'a String>) {
    for note in notes {
        eprintln!("note: {note}");
    }
}

/// An error of a map with the options that avoid it.
pub(super) fn with_remedy(error: SoftnessError) -> anyhow::Error {
    const POOLED: &str = "give --pooled for one softness over the whole torso";
    let usage = |problem: String| Usage::new(ModelError::Conflict(problem)).into();
    match &error {
        SoftnessError::NoField { .. } => {
            let able = torsos::ALL.iter().filter(|kind| kind.takes_field);
            let able: Vec<&str> = able.map(|kind| kind.name).collect();
            usage(format!(
                "{error}; choose --torso {}, or {POOLED}",
                able.join("|")
            ))
        }
        SoftnessError::Misplaced { .. } => anyhow::anyhow!(
            "{error}; give the origin of the logs' frame in the world by --map-origin X,Y,Z, or {POOLED}"
        ),
        SoftnessError::Field { .. } => usage(format!("{error}; or {POOLED}")),
        _ => error.into(),
    }
}

//! One patient from recorded presses to a policy, with the error of each step: `insonate study`.
//!
//! ```text
//! logs ─► softness ─► torsos (five kinds) ─► policies (two) ─► conditions ─► study.json, study.html
//! ```
//!
//! 1. [`crate::calibration`] finds stiffness and damping with intervals.
//! 2. `torsos`: each kind is given what makes the repeated press measure the same.
//! 3. `policies`: one learns on the calibrated torso, one on the thesis' own, with the same seed and steps.
//! 4. `conditions`: both and the task's script act in the same episodes of other softness, breathing, places, logs and torsos.

mod conditions;
mod folder;
mod plan;
mod policies;
mod result;
mod torsos;

use std::ops::ControlFlow;
use std::time::Instant;

use crate::files::OutputFolder;
use crate::training::Event;

pub use plan::{StudyPlan, StudyStart};
pub use result::{ConditionResult, Measured, PolicyFigures, StudyResult, TrainedPolicy};

/// What a study is doing, for its observer.
#[derive(Debug)]
pub enum StudyEvent<'a> {
    /// A torso is being fitted; the share of its presses that is done.
    Torso(&'a str, f64),
    /// A policy begins to train, for so many steps.
    Policy(&'a str, usize),
    /// A policy trains.
    Training(&'a Event<'a>),
    /// A policy acts in a condition; the share of the whole evaluation that is done.
    Evaluating(&'a str, f64),
}

/// Is told what the study does; `Break` ends it, and what is finished is kept for a resumed one.
pub type Observer<'a> = &'a mut dyn FnMut(&StudyEvent<'_>) -> ControlFlow<()>;

/// Runs a study in its folder, which is left with what its steps found.
///
/// # Errors
/// [`crate::experiments::Interrupted`] when the observer breaks off; of simulation, learning and files; for a folder with another study.
pub fn study(
    plan: &StudyPlan,
    folder: &OutputFolder,
    observer: Observer<'_>,
) -> anyhow::Result<StudyResult> {
    let start = Instant::now();
    folder::open(plan, folder)?;
    let torsos = torsos::fit(plan, folder, observer)?;
    let policies = policies::train_all(plan, folder, &torsos, observer)?;
    let conditions = conditions::evaluate_all(plan, folder, &torsos, observer)?;
    Ok(StudyResult {
        task: plan.task.clone(),
        softness: plan.measured(),
        held_out: plan.measured_held_out(),
        truth: plan.truth,
        torsos,
        policies,
        conditions,
        wall_s: start.elapsed().as_secs_f64(),
    })
}

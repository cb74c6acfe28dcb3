//! A study of one patient, from recorded presses to a policy, with the error of each step: `insonate study`.
//!
//! ```text
//! logs ─► softness ─► torsos (five kinds) ─► policies (two) ─► conditions ─► study.json, study.html
//! ```
//!
//! 1. [`insonate_calibration`] estimates stiffness and damping with intervals.
//! 2. `torsos`: finds the settings with which each kind of torso reproduces the recorded press.
//! 3. `policies`: trains one policy on the calibrated torso and one on the torso of the thesis, with the same seed and number of steps.
//! 4. `conditions`: evaluates both policies and the task's script in the same episodes with other softness, breathing, sites, logs and
//!    torsos.

mod conditions;
mod folder;
mod plan;
mod policies;
mod result;
mod torsos;

use std::ops::ControlFlow;
use std::time::Instant;

use insonate_files::OutputFolder;

use crate::LearningError;
use crate::training::Event;

pub use plan::{StudyPlan, StudyStart};
pub use result::{ConditionResult, MeasuredSoftness, PolicyFigures, StudyResult, TrainedPolicy};

/// Progress of a study, for its observer.
#[derive(Debug)]
pub enum StudyEvent<'a> {
    /// A torso is being fitted: name, and share of its presses that is done.
    Torso(&'a str, f64),
    /// The training of a policy starts: name, and number of steps.
    Policy(&'a str, usize),
    /// Progress of a training.
    Training(&'a Event<'a>),
    /// A policy is evaluated under a condition: name, and share of the whole evaluation that is done.
    Evaluating(&'a str, f64),
}

/// Callback that receives the progress of a study. `Break` ends the study and keeps finished parts for a resume.
pub type Observer<'a> = &'a mut dyn FnMut(&StudyEvent<'_>) -> ControlFlow<()>;

/// Runs a study and writes the result of each step to its folder.
///
/// # Errors
/// [`insonate_experiments::Interrupted`] if the observer interrupts; errors of simulation, training and files; an error if the folder contains another study.
pub fn study(
    plan: &StudyPlan,
    folder: &OutputFolder,
    observer: Observer<'_>,
) -> Result<StudyResult, LearningError> {
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

//! Step 3: trains a policy on the calibrated torso and one on the torso of the thesis.

use insonate_experiments::{Interrupted, SoftnessFit};
use insonate_files::OutputFolder;
use toml::{Table, Value};

use super::conditions::{BREATHING, CALIBRATED, THESIS, environment, randomized};
use super::torsos::LEARNED;
use super::{Observer, StudyEvent, StudyPlan, StudyStart, TrainedPolicy, folder};
use crate::LearningError;
use crate::training::{Overrides, Plan, StartMode, StopReason, TrainingSummary, train};

/// Ranges of stiffness [N/m] and damping [N·s/m] in the thesis.
const THESIS_RANGES: [[f64; 2]; 2] = [[1300.0, 1600.0], [17.0, 41.0]];

/// Trains both policies, or resumes their training.
pub(super) fn train_all(
    plan: &StudyPlan,
    folder: &OutputFolder,
    torsos: &[SoftnessFit],
    observer: Observer<'_>,
) -> Result<Vec<TrainedPolicy>, LearningError> {
    let measured = plan.measured();
    let calibrated = randomized(torsos, LEARNED, measured.range, 1.0);
    let all = [
        (CALIBRATED, "probe", calibrated),
        (THESIS, "thesis", THESIS_RANGES),
    ];
    let mut trained = Vec::new();
    for (name, lattice, [stiffness, damping]) in all {
        if observer(&StudyEvent::Policy(name, plan.total_timesteps)).is_break() {
            return Err(Interrupted.into());
        }
        let mut env = environment(LEARNED, lattice, [stiffness, damping], &[BREATHING])?;
        overlay_scene(&mut env, plan);
        let summary = train_one(plan, folder, name, env, observer)?;
        trained.push(TrainedPolicy {
            name,
            stiffness,
            damping,
            global_step: summary.global_step,
            wall_s: summary.wall_s,
            success_rate: summary.last.and_then(|last| last.success_rate),
        });
    }
    Ok(trained)
}

/// Adds robot and patient of the study to the settings of a task.
fn overlay_scene(env: &mut Table, plan: &StudyPlan) {
    if let Some(scene) = env.get_mut("scene").and_then(Value::as_table_mut) {
        scene.extend(plan.scene());
    }
}

fn train_one(
    plan: &StudyPlan,
    folder: &OutputFolder,
    name: &str,
    env: Table,
    observer: Observer<'_>,
) -> Result<TrainingSummary, LearningError> {
    let path = folder::policy(folder, name)?;
    let start = match plan.start {
        StudyStart::Resume if Plan::can_resume(&path) => StartMode::Resume,
        StudyStart::New => StartMode::New,
        StudyStart::Resume | StudyStart::Overwrite => StartMode::Overwrite,
    };
    let mut overrides = Overrides {
        env,
        ..Overrides::default()
    };
    let whole = |value: u64| Value::Integer(value as i64);
    let steps = whole(plan.total_timesteps as u64);
    overrides.ppo.insert("total_timesteps".to_owned(), steps);
    overrides
        .ppo
        .insert("seed".to_owned(), whole(plan.train_seed));
    let mut training = Plan::new(Some(&plan.task), &overrides, &path, start)?;
    training.n_threads = plan.n_threads;
    let stopped = std::cell::Cell::new(false);
    let result = train(&training, &|| stopped.get(), &mut |event| {
        if observer(&StudyEvent::Training(&event)).is_break() {
            stopped.set(true);
        }
    })?;
    if result.summary.stop_reason == StopReason::Interrupted {
        return Err(Interrupted.into());
    }
    Ok(result.summary)
}

//! Training of policies.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use insonate::evaluation::policy_path;
use insonate::files::{Claim, OutputFolder};
use insonate::learning::LearningError;
use insonate::report::learning_curve;
use insonate::training::{
    Event, Overrides, Plan, StartMode, TrainingResult, summarize_seeds, train as run,
};
use insonate_rl::{AlgorithmKind, Policy, RunOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::json;
use crate::error::{Raised, Result, value_error};
use crate::settings;
use crate::watch::Watch;

/// A training that was run, for the summary of several.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct TrainedRun(TrainingResult);

/// Writes summary and learning curve of trainings that differ in their seeds. Returns the summary as JSON.
#[pyfunction]
pub(crate) fn finish_seeds(
    py: Python<'_>,
    output: PathBuf,
    runs: Vec<Py<TrainedRun>>,
) -> Result<String> {
    let results = runs.iter().map(|run| &run.get().0);
    let (runs, histories): (Vec<_>, Vec<_>) = results
        .map(|one| (one.summary.clone(), one.history.clone()))
        .unzip();
    let summary = summarize_seeds(runs);
    py.detach(|| {
        let folder = OutputFolder::create(&output, Claim::resuming("train"))?;
        let title = format!("{}, {} seeds", summary.task, histories.len());
        let text = serde_json::to_string_pretty(&summary)
            .map_err(|error| value_error(error.to_string()))?;
        folder.write("summary.json", format!("{text}\n").as_bytes())?;
        let curve = learning_curve("learning_curve", &title, &histories)
            .map_err(|error| value_error(error.to_string()))?;
        for (name, content) in curve.files() {
            folder.write(&name, &content)?;
        }
        Ok::<_, Raised>(())
    })?;
    json(&summary)
}

/// Trains a policy in a folder. Returns the summary as JSON, why the training was stopped, and the run.
///
/// `learning` and `evaluation` override settings that all algorithms have; `ppo` and `sac` those of one algorithm.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (task, *, output, algorithm, start, from_policy, settings, learning, ppo, sac, evaluation, hold_out, threads, checkpoint_every, tensorboard, progress))]
pub(crate) fn train<'py>(
    py: Python<'py>,
    task: Option<String>,
    output: PathBuf,
    algorithm: Option<&str>,
    start: &str,
    from_policy: Option<String>,
    settings: &Bound<'py, PyDict>,
    learning: &Bound<'py, PyDict>,
    ppo: &Bound<'py, PyDict>,
    sac: &Bound<'py, PyDict>,
    evaluation: &Bound<'py, PyDict>,
    hold_out: Vec<String>,
    threads: usize,
    checkpoint_every: usize,
    tensorboard: bool,
    progress: Option<Py<PyAny>>,
) -> Result<(String, Option<PyErr>, TrainedRun)> {
    let mut overrides = Overrides {
        algorithm: algorithm.map(named).transpose()?,
        env: settings::table(settings)?,
        learning: settings::table(learning)?,
        ppo: settings::table(ppo)?,
        sac: settings::table(sac)?,
        evaluation: settings::table(evaluation)?,
        ..Overrides::default()
    };
    let start = match start {
        "resume" => StartMode::Resume,
        "overwrite" => StartMode::Overwrite,
        _ => StartMode::New,
    };
    if !hold_out.is_empty() {
        overrides.hold_out(&hold_out, start)?;
    }
    let watch = Watch::new(progress);
    let options = RunOptions {
        checkpoint_every: checkpoint_every.max(1),
        tensorboard,
    };
    let (result, raised) = py.detach(|| {
        let claim = Claim::resuming("train").overwriting(start == StartMode::Overwrite);
        // Not held: the training takes it when its settings have proved to fit.
        drop(OutputFolder::create(&output, claim)?);
        let mut plan = match &from_policy {
            Some(name) => {
                let policy = Policy::load(&policy_path(name)?)?;
                Plan::beginning_with(policy, task.as_deref(), &overrides, &output, start)?
            }
            None => Plan::new(task.as_deref(), &overrides, &output, start)?,
        };
        plan.n_threads = threads;
        plan.run = options;
        watched(&plan, watch)
    })?;
    Ok((json(&result.summary)?, raised, TrainedRun(result)))
}

/// Trains, with progress and Ctrl-C.
fn watched(
    plan: &Plan,
    watch: Watch,
) -> std::result::Result<(TrainingResult, Option<PyErr>), LearningError> {
    let total = plan.settings.algorithm.total_timesteps().max(1) as f64;
    let (watch, share, text) = (
        RefCell::new(watch),
        Cell::new(0.0),
        RefCell::new(String::new()),
    );
    let stop = || {
        let said = || text.borrow().clone();
        watch.borrow_mut().look(share.get(), said).is_break()
    };
    let result = run(plan, &stop, &mut |event| match event {
        Event::Started { global_step, .. } => share.set(global_step as f64 / total),
        Event::Iteration(progress) => {
            share.set((progress.global_step as f64 / total).min(1.0));
            let mut parts = vec![format!("{:.0} steps/s", progress.steps_per_second)];
            parts.extend(progress.episodic_return.map(|it| format!("return {it:.2}")));
            parts.extend(progress.success.map(|it| format!("success {it:.2}")));
            text.replace(parts.join("  "));
        }
        Event::Evaluating { n_done, n_episodes } => {
            text.replace(format!("evaluating {n_done}/{n_episodes}"));
        }
        Event::Evaluated(_) => {}
    })?;
    Ok((result, watch.into_inner().into_raised()))
}

fn named(name: &str) -> std::result::Result<AlgorithmKind, Raised> {
    let mut all = AlgorithmKind::ALL.into_iter();
    all.find(|kind| kind.name() == name).ok_or_else(|| {
        let known = AlgorithmKind::ALL.map(AlgorithmKind::name).join(" or ");
        value_error(format!("algorithm is {name:?}; it must be {known}"))
    })
}

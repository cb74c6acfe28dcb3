//! Evaluation of policies.

use insonate::evaluation::{self, EvaluationPlan, NamedPolicy, episodes_csv, results_json};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::{Fixed, json, reset_options};
use crate::error::Result;
use crate::settings;
use crate::watch::Watch;

/// Summary as JSON, one row per episode as CSV, and why the evaluation was stopped.
type Outcome<'py> = (String, Bound<'py, PyBytes>, Option<PyErr>);

/// Runs episodes with policies.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (policies, *, task, episodes, seeds, fix, settings, envs, threads, progress))]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    policies: Vec<String>,
    task: Option<String>,
    episodes: usize,
    seeds: Vec<u64>,
    fix: Fixed,
    settings: &Bound<'py, PyDict>,
    envs: usize,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> Result<Outcome<'py>> {
    let overrides = settings::table(settings)?;
    let plan = EvaluationPlan {
        seeds,
        n_episodes: episodes,
        options: reset_options(fix),
        n_envs: envs,
        n_threads: threads,
    };
    plan.check()?;
    let mut watch = Watch::new(progress);
    let n_all = policies.len() * plan.seeds.len() * plan.n_episodes;
    let (policies, results) = py.detach(|| {
        let policies = NamedPolicy::load_all(&policies, task.as_deref(), &overrides)?;
        let mut results = Vec::new();
        let mut n_before = 0;
        for policy in &policies {
            let result = evaluation::evaluate(policy, &plan, &mut |n_done| {
                let share = (n_before + n_done) as f64 / n_all as f64;
                watch.look(share, || format!("{}: {n_done} episodes", policy.name))
            })?;
            n_before += result.episodes.len();
            results.push(result);
            if watch.is_stopped() {
                break;
            }
        }
        results.retain(|result| !result.episodes.is_empty());
        Ok::<_, insonate::learning::LearningError>((policies, results))
    })?;
    let raised = watch.into_raised();
    if results.is_empty()
        && let Some(raised) = raised
    {
        return Err(raised.into());
    }
    let mut all = results_json(&policies, &results, &plan.seeds);
    if raised.is_some() {
        all["interrupted"] = true.into();
    }
    let table = episodes_csv(&results)?;
    Ok((json(&all)?, PyBytes::new(py, &table), raised))
}

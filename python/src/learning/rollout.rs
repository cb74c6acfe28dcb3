//! One episode with all its steps.

use insonate::evaluation::{self, NamedPolicy, Rollout, rollout_json};
use insonate::learning::LearningError;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::{Fixed, json, reset_options};
use crate::error::Result;
use crate::settings;
use crate::watch::Watch;

/// Summary as JSON, arrays by name, the log as CSV, and why the episode was stopped.
type Outcome<'py> = (
    String,
    Bound<'py, PyDict>,
    Bound<'py, PyBytes>,
    Option<PyErr>,
);

/// Runs the episode of a seed.
#[pyfunction]
#[pyo3(signature = (policy, *, task, seed, fix, settings, progress))]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    policy: String,
    task: Option<String>,
    seed: u64,
    fix: Fixed,
    settings: &Bound<'py, PyDict>,
    progress: Option<Py<PyAny>>,
) -> Result<Outcome<'py>> {
    let overrides = settings::table(settings)?;
    let options = reset_options(fix);
    let mut watch = Watch::new(progress);
    let rollout = py.detach(|| {
        let named = NamedPolicy::load_all(&[policy], task.as_deref(), &overrides)?.remove(0);
        let n_most = named.factory.make()?.spec().max_episode_steps;
        let mut n_steps = 0;
        let rollout = evaluation::rollout(&named, seed, &options, &mut |_| {
            let share = n_most.map_or(0.0, |n_most| f64::from(n_steps) / n_most.max(1) as f64);
            n_steps += 1;
            watch.look(share.min(1.0), || format!("step {n_steps}"))
        })?;
        Ok::<_, LearningError>(rollout)
    })?;
    let summary = json(&rollout_json(&rollout))?;
    let log = PyBytes::new(py, &rollout.to_csv()?);
    Ok((summary, arrays(py, &rollout)?, log, watch.into_raised()))
}

/// Quantities of all steps: `time`, `observations`, `actions`, `rewards`, `reward_terms`, `costs`.
fn arrays<'py>(py: Python<'py>, rollout: &Rollout) -> Result<Bound<'py, PyDict>> {
    let (steps, spec) = (&rollout.steps, &rollout.spec);
    let n = steps.len();
    let all = PyDict::new(py);
    let time: Vec<f64> = steps.iter().map(|step| step.time).collect();
    all.set_item("time", PyArray1::from_vec(py, time))?;
    let singles = [
        (
            "observations",
            spec.observation_space.len(),
            steps
                .iter()
                .flat_map(|step| step.observation.clone())
                .collect::<Vec<f32>>(),
        ),
        (
            "actions",
            spec.action_space.len(),
            steps.iter().flat_map(|step| step.action.clone()).collect(),
        ),
    ];
    for (name, width, values) in singles {
        let array: Bound<'py, PyArray2<f32>> =
            PyArray1::from_vec(py, values).reshape([n, width])?;
        all.set_item(name, array)?;
    }
    let rewards: Vec<f64> = steps.iter().map(|step| step.reward).collect();
    all.set_item("rewards", PyArray1::from_vec(py, rewards))?;
    let doubles = [
        (
            "reward_terms",
            spec.reward_terms.len(),
            steps
                .iter()
                .flat_map(|step| step.reward_terms.clone())
                .collect::<Vec<f64>>(),
        ),
        (
            "costs",
            spec.costs.len(),
            steps.iter().flat_map(|step| step.costs.clone()).collect(),
        ),
    ];
    for (name, width, values) in doubles {
        let array: Bound<'py, PyArray2<f64>> =
            PyArray1::from_vec(py, values).reshape([n, width])?;
        all.set_item(name, array)?;
    }
    Ok(all)
}

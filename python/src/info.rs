//! Gymnasium's `info` of finished episodes.
//!
//! For one environment: `metrics`, `parameters`, `reward_terms` and, if the task has some, `costs` (dicts of numbers);
//! `is_success` if the task defines success; `end_reason`, `episode_seed`; `verdict` and `reasons` if the task judges
//! its episodes. A task with costs has `cost` in every step. For several environments: the same as arrays over the
//! environments, each with a mask named `_` and the same name.

use insonate_envs::{Batch, EnvSpec, EpisodeStatistics};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Result;

/// The metric that defines success.
const SUCCESS: &str = "success";

/// Names that all infos of a task share.
pub(crate) struct InfoNames {
    metrics: Vec<&'static str>,
    /// Names without units.
    parameters: Vec<String>,
    reward_terms: Vec<&'static str>,
    costs: Vec<&'static str>,
    success: Option<usize>,
}

/// A group of numbers of an episode.
type Group = (&'static str, fn(&EpisodeStatistics) -> &[f64]);

const GROUPS: [Group; 4] = [
    ("metrics", |ended| &ended.metrics),
    ("parameters", |ended| &ended.parameters),
    ("reward_terms", |ended| &ended.reward_terms),
    ("costs", |ended| &ended.costs),
];

impl InfoNames {
    pub(crate) fn new(spec: &EnvSpec) -> Self {
        Self {
            metrics: spec.metrics.clone(),
            parameters: spec.parameters.iter().map(|name| bare(name)).collect(),
            reward_terms: spec.reward_terms.clone(),
            costs: spec.costs.clone(),
            success: spec.metrics.iter().position(|name| *name == SUCCESS),
        }
    }

    /// Names of the parameters without units.
    pub(crate) fn parameters(&self) -> &[String] {
        &self.parameters
    }

    fn of(&self, group: usize) -> Vec<&str> {
        match group {
            0 => self.metrics.clone(),
            1 => self.parameters.iter().map(String::as_str).collect(),
            2 => self.reward_terms.clone(),
            _ => self.costs.clone(),
        }
    }

    /// Sum of the costs of each environment's last step; `None` for a task without costs.
    pub(crate) fn cost(&self, batch: &Batch) -> Option<Vec<f64>> {
        let rows = batch.costs.chunks_exact(self.costs.len().max(1));
        let sum = |row: &[f32]| row.iter().map(|cost| f64::from(*cost)).sum();
        (!self.costs.is_empty()).then(|| rows.map(sum).collect())
    }

    /// The groups that the task has.
    fn groups(&self) -> impl Iterator<Item = (usize, &'static Group)> {
        let n_groups = GROUPS.len() - usize::from(self.costs.is_empty());
        GROUPS[..n_groups].iter().enumerate()
    }

    /// Info of one environment.
    pub(crate) fn single<'py>(
        &self,
        py: Python<'py>,
        ended: &EpisodeStatistics,
    ) -> Result<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        for (index, (group, numbers)) in self.groups() {
            let dict = PyDict::new(py);
            for (name, value) in self.of(index).into_iter().zip(numbers(ended)) {
                dict.set_item(name, value)?;
            }
            info.set_item(*group, dict)?;
        }
        if let Some(success) = self.success {
            info.set_item("is_success", ended.metrics[success] == 1.0)?;
        }
        info.set_item("end_reason", ended.reason.text())?;
        if let Some(verdict) = &ended.verdict {
            info.set_item("verdict", verdict.outcome.name())?;
            info.set_item("reasons", &verdict.reasons)?;
        }
        // Gymnasium's vectors collect the entries in arrays of their types; seeds above 2^63 do not fit in `int64`.
        let uint64 = py.import("numpy")?.getattr("uint64")?;
        info.set_item("episode_seed", uint64.call1((ended.seed,))?)?;
        Ok(info)
    }

    /// Info of `n_envs` environments, where some have finished an episode.
    pub(crate) fn vector<'py>(
        &self,
        py: Python<'py>,
        all: &[EpisodeStatistics],
        n_envs: usize,
    ) -> Result<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        let mut mask = vec![false; n_envs];
        for ended in all {
            mask[ended.env_idx] = true;
        }
        let mask = PyArray1::from_slice(py, &mask);
        let add = |dict: &Bound<'py, PyDict>, name: &str, values: Bound<'py, PyAny>| {
            dict.set_item(name, values)?;
            dict.set_item(format!("_{name}"), &mask)
        };
        for (index, (group, numbers)) in self.groups() {
            let dict = PyDict::new(py);
            for (column, name) in self.of(index).into_iter().enumerate() {
                let values = spread(all, n_envs, 0.0, |ended| numbers(ended)[column]);
                add(&dict, name, PyArray1::from_vec(py, values).into_any())?;
            }
            add(&info, group, dict.into_any())?;
        }
        if let Some(success) = self.success {
            let values = spread(all, n_envs, false, |ended| ended.metrics[success] == 1.0);
            add(
                &info,
                "is_success",
                PyArray1::from_vec(py, values).into_any(),
            )?;
        }
        let seeds = spread(all, n_envs, 0, |ended| ended.seed);
        add(
            &info,
            "episode_seed",
            PyArray1::from_vec(py, seeds).into_any(),
        )?;
        let ends = all.iter().map(|ended| (ended.env_idx, ended.reason.text()));
        add(&info, "end_reason", objects(py, ends, n_envs)?)?;
        let judged = || {
            let verdicts = all.iter();
            verdicts.filter_map(|ended| Some((ended.env_idx, ended.verdict.as_ref()?)))
        };
        if judged().next().is_some() {
            let outcomes = judged().map(|(env_idx, verdict)| (env_idx, verdict.outcome.name()));
            add(&info, "verdict", objects(py, outcomes, n_envs)?)?;
            let reasons = judged().map(|(env_idx, verdict)| (env_idx, &verdict.reasons));
            add(&info, "reasons", objects(py, reasons, n_envs)?)?;
        }
        Ok(info)
    }
}

/// Scatters values to one entry per environment.
fn spread<T: Clone>(
    all: &[EpisodeStatistics],
    n_envs: usize,
    none: T,
    value: impl Fn(&EpisodeStatistics) -> T,
) -> Vec<T> {
    let mut values = vec![none; n_envs];
    for ended in all {
        values[ended.env_idx] = value(ended);
    }
    values
}

/// Values of some environments as an object array, with None for the others.
fn objects<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = (usize, T)>,
    n_envs: usize,
) -> Result<Bound<'py, PyAny>> {
    let full = py.import("numpy")?.getattr("full")?;
    let array = full.call1((n_envs, py.None(), "O"))?;
    for (env_idx, value) in values {
        array.set_item(env_idx, value)?;
    }
    Ok(array)
}

/// Name without unit: `stiffness` for `stiffness [N/m]`.
pub(crate) fn bare(name: &str) -> String {
    let bare = name.split_once(" [").map_or(name, |(bare, _)| bare);
    bare.to_owned()
}

//! Tasks and their settings.

use insonate_envs::tasks as registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Result;
use crate::settings;

/// Names and summaries of all tasks.
#[pyfunction]
pub(crate) fn tasks() -> Vec<(&'static str, &'static str)> {
    let kinds = registry::all().into_iter();
    kinds.map(|kind| (kind.name, kind.summary)).collect()
}

/// Settings of a task with their defaults.
#[pyfunction]
pub(crate) fn default_settings<'py>(py: Python<'py>, task: &str) -> Result<Bound<'py, PyDict>> {
    settings::table_to_python(py, &(registry::by_name(task)?.defaults)())
}

//! Which tasks there are, and their settings.

use insonate_envs::tasks as registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Result;
use crate::settings;

/// Names and summaries of all tasks.
#[pyfunction]
pub(crate) fn tasks() -> Vec<(&'static str, &'static str)> {
    let kinds = registry::ALL.iter();
    kinds.map(|kind| (kind.name, kind.summary)).collect()
}

/// Every setting of a task with its default.
#[pyfunction]
pub(crate) fn default_settings<'py>(py: Python<'py>, task: &str) -> Result<Bound<'py, PyDict>> {
    settings::table_to_python(py, &(registry::by_name(task)?.defaults)())
}

//! Pressing and scanning: the experiments of the command line as functions.

use insonate::experiments::{
    self, ExperimentError, Pictures, Press, Progress, Record, Scan, Summary,
};
use insonate_sim::verdict::VerdictLimits;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Result, value_error};
use crate::learning::json;
use crate::scene::Scene;
use crate::watch::Watch;

/// Columns of the log, name of the phase of each sample, summary as JSON, notes, and why the experiment was stopped.
type Outcome<'py> = (
    Bound<'py, PyDict>,
    Vec<&'static str>,
    String,
    Vec<String>,
    Option<PyErr>,
);

/// Presses the probe into the torso at a site.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, site, depth, speed, hold, max_force, limits, progress))]
pub(crate) fn press(
    py: Python<'_>,
    scene: Py<Scene>,
    site: [f64; 2],
    depth: f64,
    speed: f64,
    hold: f64,
    max_force: f64,
    limits: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> Result<Outcome<'_>> {
    let press = Press {
        site: finite("site", site)?,
        depth,
        speed,
        hold,
        max_force,
        limits: limits_of(&limits)?,
        ..Press::default()
    };
    press.check()?;
    let scene = &scene.get().scene;
    watched(py, progress, |progress| {
        experiments::press(scene, &press, &mut Pictures::none(), progress)
    })
}

/// Slides the probe along a path over the torso.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, start, end, force, speed, max_force, limits, progress))]
pub(crate) fn scan(
    py: Python<'_>,
    scene: Py<Scene>,
    start: [f64; 2],
    end: [f64; 2],
    force: f64,
    speed: f64,
    max_force: f64,
    limits: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> Result<Outcome<'_>> {
    let scan = Scan {
        from: finite("start", start)?,
        to: finite("end", end)?,
        force,
        speed,
        max_force,
        limits: limits_of(&limits)?,
        ..Scan::default()
    };
    scan.check()?;
    let scene = &scene.get().scene;
    watched(py, progress, |progress| {
        experiments::scan(scene, &scan, &mut Pictures::none(), progress)
    })
}

fn finite(name: &str, point: [f64; 2]) -> Result<[f64; 2]> {
    if point.iter().all(|x| x.is_finite()) {
        return Ok(point);
    }
    Err(value_error(format!(
        "{name} is {point:?}, but must be finite [m]"
    )))
}

/// Limits of the verdict from `name=value`.
pub(crate) fn limits_of(given: &[String]) -> Result<VerdictLimits> {
    let mut limits = VerdictLimits::default();
    for limit in given {
        limits = limits
            .with(limit)
            .map_err(|error| value_error(error.to_string()))?;
    }
    Ok(limits)
}

/// Runs an experiment without the interpreter's lock. Ctrl-C ends it with `KeyboardInterrupt`; what was measured is returned with it.
fn watched(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    run: impl FnOnce(Progress<'_>) -> std::result::Result<(Record, Summary), ExperimentError> + Send,
) -> Result<Outcome<'_>> {
    let mut watch = Watch::new(progress);
    let done = py.detach(|| run(&mut |share| watch.look(share, String::new)));
    let raised = watch.into_raised();
    let (record, summary) = match (done, raised.is_some()) {
        (Ok(done), _) => done,
        // Nothing was measured yet.
        (Err(ExperimentError::Interrupted(_)), true) => {
            return Err(raised.map_or_else(|| value_error("interrupted"), Into::into));
        }
        (Err(error), _) => return Err(error.into()),
    };
    let columns = PyDict::new(py);
    for (name, column) in record.columns() {
        columns.set_item(name, PyArray1::from_vec(py, column))?;
    }
    let samples = record.samples.iter();
    let phases = samples.map(|sample| record.phases[sample.phase]).collect();
    Ok((columns, phases, json(&summary)?, record.notes, raised))
}

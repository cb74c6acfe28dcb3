//! Pressing and scanning: the experiments of the command line as functions.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use insonate::experiments::{
    self, ExperimentError, Pictures, Press, Progress, Record, Scan, Summary,
};
use insonate_sim::verdict::VerdictLimits;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Raised, Result, SimulationError, value_error};
use crate::scene::Scene;

/// Time between looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Columns of the log, name of the phase of each sample, summary as JSON, notes.
type Outcome<'py> = (Bound<'py, PyDict>, Vec<&'static str>, String, Vec<String>);

/// Presses the probe into the torso at a site.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, site, depth, speed, hold, max_force, limits))]
pub(crate) fn press(
    py: Python<'_>,
    scene: Py<Scene>,
    site: [f64; 2],
    depth: f64,
    speed: f64,
    hold: f64,
    max_force: f64,
    limits: Vec<String>,
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
    watched(py, |progress| {
        experiments::press(scene, &press, &mut Pictures::none(), progress)
    })
}

/// Slides the probe along a path over the torso.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, start, end, force, speed, max_force, limits))]
pub(crate) fn scan(
    py: Python<'_>,
    scene: Py<Scene>,
    start: [f64; 2],
    end: [f64; 2],
    force: f64,
    speed: f64,
    max_force: f64,
    limits: Vec<String>,
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
    watched(py, |progress| {
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
fn limits_of(given: &[String]) -> Result<VerdictLimits> {
    let mut limits = VerdictLimits::default();
    for limit in given {
        limits = limits
            .with(limit)
            .map_err(|error| value_error(error.to_string()))?;
    }
    Ok(limits)
}

/// Runs an experiment without the interpreter's lock. Ctrl-C ends it with `KeyboardInterrupt`.
fn watched(
    py: Python<'_>,
    run: impl FnOnce(Progress<'_>) -> std::result::Result<(Record, Summary), ExperimentError> + Send,
) -> Result<Outcome<'_>> {
    let mut signal: Option<PyErr> = None;
    let mut looked = Instant::now();
    let done = py.detach(|| {
        run(&mut |_| {
            if signal.is_none() && looked.elapsed() > LOOK {
                looked = Instant::now();
                signal = Python::attach(|py| py.check_signals().err());
            }
            match signal {
                None => ControlFlow::Continue(()),
                Some(_) => ControlFlow::Break(()),
            }
        })
    });
    if let Some(signal) = signal {
        return Err(signal.into());
    }
    let (record, summary) = done.map_err(raised)?;
    let columns = PyDict::new(py);
    for (name, column) in record.columns() {
        columns.set_item(name, PyArray1::from_vec(py, column))?;
    }
    let samples = record.samples.iter();
    let phases = samples.map(|sample| record.phases[sample.phase]).collect();
    let summary = serde_json::to_string(&summary)
        .map_err(|error| SimulationError::new_err(error.to_string()))?;
    Ok((columns, phases, summary, record.notes))
}

fn raised(error: ExperimentError) -> Raised {
    match error {
        ExperimentError::Model(error) => error.into(),
        ExperimentError::Setting(error) => value_error(error.to_string()),
        ExperimentError::Sim(error) => error.into(),
        ExperimentError::Advised { error, .. } => raised(*error),
        other => SimulationError::new_err(format!("{:#}", anyhow::Error::from(other))).into(),
    }
}

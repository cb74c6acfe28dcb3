//! Calibration: fits tissue laws with confidence intervals to recorded presses.

use std::path::PathBuf;

use insonate_calibration::formats::{self, ReadOptions};
use insonate_calibration::{
    CalibrationError, CalibrationOptions, Channel, Log, LogFrames, LogSource, ModelChoice, Motion,
    models,
};
use numpy::{PyArrayLike1, TypeMustMatch};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Raised, Result, io_error, value_error};

/// File name in messages for a log that was given as arrays.
const ARRAYS: &str = "arrays";

impl From<CalibrationError> for Raised {
    fn from(error: CalibrationError) -> Self {
        let text = error.to_string();
        match std::error::Error::source(&error).and_then(|e| e.downcast_ref::<std::io::Error>()) {
            Some(source) => io_error(source, format!("{text}: {source}")).into(),
            None => value_error(text),
        }
    }
}

/// Fits a law to a press: a file, a dict of arrays, or a pandas `DataFrame`.
#[pyfunction]
#[pyo3(signature = (log, *, model=None, rate=None, episode=None))]
pub(crate) fn calibrate<'py>(
    py: Python<'py>,
    log: &Bound<'py, PyAny>,
    model: Option<&str>,
    rate: Option<f64>,
    episode: Option<i64>,
) -> Result<Bound<'py, PyDict>> {
    let options = CalibrationOptions {
        model: choice(model)?,
        ..CalibrationOptions::default()
    };
    let log = if let Ok(arrays) = log.cast::<PyDict>() {
        from_arrays(arrays)?
    } else if log.hasattr("columns")? && log.hasattr("to_numpy")? {
        // A pandas DataFrame: one array for each column.
        let arrays = PyDict::new(py);
        for name in log.getattr("columns")?.try_iter()? {
            let name = name?;
            let column = log.get_item(&name)?.call_method0("to_numpy")?;
            arrays.set_item(name, column)?;
        }
        from_arrays(&arrays)?
    } else {
        let path: PathBuf = log.extract().map_err(|_| {
            PyTypeError::new_err("log is a path, or a dict of arrays time, indentation and force")
        })?;
        let read = ReadOptions {
            rate,
            episode,
            ..ReadOptions::default()
        };
        py.detach(|| formats::read(&path, &read))
            .map_err(CalibrationError::from)?
    };
    let found = py.detach(|| insonate_calibration::calibrate(&log, &options))?;
    let report = PyDict::new(py);
    let fit = &found.fit;
    report.set_item("model", fit.model)?;
    let parameters = PyDict::new(py);
    for parameter in &fit.parameters {
        let entry = PyDict::new(py);
        entry.set_item("value", parameter.value)?;
        entry.set_item("unit", parameter.unit)?;
        entry.set_item("standard_error", parameter.standard_error)?;
        entry.set_item("ci95", (parameter.ci95[0], parameter.ci95[1]))?;
        entry.set_item("identifiable", parameter.identifiable)?;
        entry.set_item("reason", &parameter.reason)?;
        parameters.set_item(parameter.name, entry)?;
    }
    report.set_item("parameters", parameters)?;
    report.set_item("r_squared", fit.statistics.r_squared)?;
    report.set_item("rmse_n", fit.statistics.rmse_n)?;
    report.set_item("n", fit.statistics.n)?;
    report.set_item("force_bias", found.prepared.force_bias)?;
    let [start, end] = found.prepared.window;
    report.set_item("window", (start, end))?;
    let notes: Vec<&String> = found.prepared.notes.iter().chain(&fit.notes).collect();
    report.set_item("notes", notes)?;
    Ok(report)
}

/// Names of the laws.
#[pyfunction]
pub(crate) fn laws() -> Vec<(&'static str, &'static str)> {
    let all = models::ALL.iter();
    all.map(|kind| (kind.name, kind.summary)).collect()
}

pub(crate) fn choice(model: Option<&str>) -> Result<ModelChoice> {
    match model {
        None => Ok(CalibrationOptions::default().model),
        Some("auto") => Ok(ModelChoice::Auto),
        Some(name) => {
            let kind = models::by_name(name).ok_or_else(|| {
                let known = models::names_with(|_| true);
                value_error(format!(
                    "there is no law {name:?}; choose one of {known}, auto"
                ))
            })?;
            Ok(ModelChoice::Named(kind.name))
        }
    }
}

/// A log of `time` [s], `indentation` or `position` [m], `force` [N] and perhaps `velocity` [m/s], shape `[n]` each.
fn from_arrays(arrays: &Bound<'_, PyDict>) -> Result<Log> {
    const KNOWN: [&str; 5] = ["time", "indentation", "position", "force", "velocity"];
    for name in arrays.keys() {
        let name: String = name.extract()?;
        if !KNOWN.contains(&name.as_str()) {
            let known = KNOWN.join(", ");
            return Err(value_error(format!(
                "log: there is no {name:?}; it has {known}"
            )));
        }
    }
    let take = |name: &str| -> Result<Option<Vec<f64>>> {
        let Some(given) = arrays.get_item(name)? else {
            return Ok(None);
        };
        let array: PyArrayLike1<'_, f64, TypeMustMatch> = given.extract().map_err(|_| {
            PyTypeError::new_err(format!("log: {name} is an array of float64, shape [n]"))
        })?;
        let values = array.as_array().to_vec();
        match values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(value_error(format!(
                "log: {name}[{row}] is {}",
                values[row]
            ))),
            None => Ok(Some(values)),
        }
    };
    let need =
        |name: &str| take(name)?.ok_or_else(|| value_error(format!("log: {name} is missing")));
    let (time, force) = (need("time")?, need("force")?);
    let motion = match (take("indentation")?, take("position")?) {
        (Some(indentation), None) => Motion::Indentation(indentation),
        (None, Some(position)) => Motion::Position(Channel::Scalar(position)),
        _ => return Err(value_error("log: give either indentation or position")),
    };
    let velocity = take("velocity")?;
    let n_motion = match &motion {
        Motion::Indentation(values) => values.len(),
        Motion::Position(channel) => channel.len(),
    };
    let n_velocity = velocity.as_ref().map_or(time.len(), Vec::len);
    if [force.len(), n_motion, n_velocity]
        .iter()
        .any(|n| *n != time.len())
    {
        return Err(value_error("log: its arrays have different lengths"));
    }
    Ok(Log {
        source: LogSource {
            file: ARRAYS.to_owned(),
            format: ARRAYS,
            ..LogSource::default()
        },
        time,
        motion,
        velocity: velocity.map(Channel::Scalar),
        force: Channel::Scalar(force),
        frames: LogFrames::default(),
    })
}

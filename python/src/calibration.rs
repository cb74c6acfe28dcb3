//! Calibration: fits tissue laws with confidence intervals to recorded presses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use insonate::cli::{LogReader, RecordedPress};
use insonate::experiments::{ExperimentError, SceneFit, fit_scene as fit_scene_to};
use insonate::files::{Claim, OutputFolder};
use insonate::report::{CalibrationReport, ReportError};
use insonate_calibration::map::Places;
use insonate_calibration::{
    Calibration, CalibrationError, Channel, FitOptions, Log, LogFrames, LogSource, Motion,
    SiteCalibrations, models,
};
use insonate_models::torsos::Softness;
use numpy::{PyArrayLikeDyn, PyUntypedArrayMethods as _, TypeMustMatch};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Raised, Result, io_error, value_error};
use crate::learning::json;
use crate::scene::Scene;
use crate::watch::Watch;

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

/// Result as JSON, softness file, report as an HTML page, a dict for each log, why there is no softness, and why the call was stopped.
type Calibrated<'py> = (
    String,
    String,
    Option<String>,
    Vec<Bound<'py, PyDict>>,
    Option<String>,
    Option<PyErr>,
);

/// Fits a law to presses: files, dicts of arrays, or pandas `DataFrame`s. `words` are the options of the command.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (logs, words, *, robot, fit_scene, map, places, with_report, output, overwrite, progress))]
pub(crate) fn calibrate<'py>(
    py: Python<'py>,
    logs: Vec<Bound<'py, PyAny>>,
    words: Vec<String>,
    robot: Option<Py<Scene>>,
    fit_scene: Option<Py<Scene>>,
    map: bool,
    places: Option<BTreeMap<String, [f64; 3]>>,
    with_report: bool,
    output: Option<PathBuf>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> Result<Calibrated<'py>> {
    let reader = LogReader::of_words(&words).map_err(value_error)?;
    let options = reader.fit_options()?;
    let n = logs.len();
    let presses = logs.iter().enumerate();
    let presses = presses
        .map(|(index, log)| press_of(py, log, (n > 1).then_some(index)))
        .collect::<Result<Vec<_>>>()?;
    let folder = output
        .map(|path| OutputFolder::create(&path, Claim::by("calibrate").overwriting(overwrite)))
        .transpose()?;
    let mut watch = Watch::new(progress);
    let (report, page) = py.detach(|| {
        let robot = robot
            .map(|scene| LogReader::kinematics(&scene.get().scene.robot).map_err(value_error))
            .transpose()?;
        let mut look = |index: usize| {
            // Ctrl-C ends the call after the last log: a log takes a short time.
            let _ = watch.look(index as f64 / n as f64, || {
                format!("log {} of {n}", index + 1)
            });
        };
        let sites = reader.calibrate_presses(&presses, robot.as_ref(), &mut look)?;
        let table = places.map(|by_log| Places::new("places", by_log));
        let maps = map.then(|| sites.maps(table.as_ref())).transpose()?;
        let maps = maps.unwrap_or_default();
        let mut report = CalibrationReport {
            generator: concat!("insonate ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: "insonate.calibrate".to_owned(),
            sites,
            maps,
            scene: None,
            repeated: None,
            interrupted: false,
        };
        if let Some(scene) = &fit_scene {
            let fitted = tuned(&scene.get().scene, &report.sites, &options, &mut watch);
            match fitted {
                Err(Tuning::Stopped) => report.interrupted = true,
                Err(Tuning::Failed(raised)) => return Err(raised),
                Ok(fitted) => report.scene = Some(fitted),
            }
        }
        let mut page = None;
        if with_report || folder.is_some() {
            let failed = |error: ReportError| value_error(error.to_string());
            for (name, content) in report.files(&mut |_| {}).map_err(failed)? {
                if let Some(folder) = &folder {
                    folder.write(&name, &content)?;
                }
                if name == "report.html" {
                    page = Some(String::from_utf8_lossy(&content).into_owned());
                }
            }
        }
        Ok::<_, Raised>((report, page))
    })?;
    let each = report.sites.logs.iter().map(|log| found(py, log));
    Ok((
        json(&report.json())?,
        report.softness().to_toml(),
        page,
        each.collect::<Result<_>>()?,
        report.sites.no_softness.clone(),
        watch.into_raised(),
    ))
}

/// Why a torso was not tuned.
enum Tuning {
    Stopped,
    Failed(Raised),
}

/// Tunes the torso of a scene to the pooled softness, pressed along the first log's indentation.
fn tuned(
    scene: &insonate_models::Scene,
    sites: &SiteCalibrations,
    options: &FitOptions,
    watch: &mut Watch,
) -> std::result::Result<SceneFit, Tuning> {
    let mean = |name: &str| sites.pooled.parameter(name).map(|pooled| pooled.mean);
    let target = mean("stiffness").zip(mean("damping"));
    let Some((stiffness, damping)) = target else {
        let problem = format!(
            "fit_scene needs stiffness and damping, which model {} and these logs do not give",
            sites.model()
        );
        return Err(Tuning::Failed(value_error(problem)));
    };
    let target = Softness { stiffness, damping };
    let mut progress = |share: f64| watch.look(share, || "fitting the torso".to_owned());
    fit_scene_to(scene, &sites.logs[0], Some(target), options, &mut progress).map_err(|error| {
        match error {
            ExperimentError::Interrupted(_) => Tuning::Stopped,
            other => Tuning::Failed(other.into()),
        }
    })
}

/// A press from Python. Arrays of several logs have numbers in their names.
fn press_of<'py>(
    py: Python<'py>,
    log: &Bound<'py, PyAny>,
    index: Option<usize>,
) -> Result<RecordedPress> {
    let name = index.map_or(ARRAYS.to_owned(), |index| format!("{ARRAYS}-{}", index + 1));
    if let Ok(arrays) = log.cast::<PyDict>() {
        return Ok(RecordedPress::Log(Box::new(from_arrays(arrays, name)?)));
    }
    if log.hasattr("columns")? && log.hasattr("to_numpy")? {
        // A pandas DataFrame: one array for each column.
        let arrays = PyDict::new(py);
        for name in log.getattr("columns")?.try_iter()? {
            let name = name?;
            let column = log.get_item(&name)?.call_method0("to_numpy")?;
            arrays.set_item(name, column)?;
        }
        return Ok(RecordedPress::Log(Box::new(from_arrays(&arrays, name)?)));
    }
    let path: PathBuf = log.extract().map_err(|_| {
        PyTypeError::new_err("log is a path, or a dict of arrays time, indentation and force")
    })?;
    Ok(RecordedPress::File(path))
}

/// What was found in a log.
fn found<'py>(py: Python<'py>, found: &Calibration) -> Result<Bound<'py, PyDict>> {
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

/// A log of `time` [s], shape `[n]`; `indentation` [m], shape `[n]`, or `position` [m], `force` [N] and perhaps `velocity` [m/s], each of shape
/// `[n]` or `[n, 3]`.
fn from_arrays(arrays: &Bound<'_, PyDict>, name: String) -> Result<Log> {
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
    let need = |name: &str| {
        channel(arrays, name)?.ok_or_else(|| value_error(format!("log: {name} is missing")))
    };
    let scalar = |name: &str, channel: Channel| match channel {
        Channel::Scalar(values) => Ok(values),
        Channel::Vector(_) => Err(value_error(format!(
            "log: {name} has shape [n, 3], not [n]"
        ))),
    };
    let (time, force) = (scalar("time", need("time")?)?, need("force")?);
    let motion = match (
        channel(arrays, "indentation")?,
        channel(arrays, "position")?,
    ) {
        (Some(indentation), None) => Motion::Indentation(scalar("indentation", indentation)?),
        (None, Some(position)) => Motion::Position(position),
        _ => return Err(value_error("log: give either indentation or position")),
    };
    let velocity = channel(arrays, "velocity")?;
    let n_motion = match &motion {
        Motion::Indentation(values) => values.len(),
        Motion::Position(channel) => channel.len(),
    };
    let n_velocity = velocity.as_ref().map_or(time.len(), Channel::len);
    if [force.len(), n_motion, n_velocity]
        .iter()
        .any(|n| *n != time.len())
    {
        return Err(value_error("log: its arrays have different lengths"));
    }
    Ok(Log {
        source: LogSource {
            file: name,
            format: ARRAYS,
            ..LogSource::default()
        },
        time,
        motion,
        velocity,
        force,
        frames: LogFrames::default(),
    })
}

/// A column of shape `[n]` or `[n, 3]`, if it is given.
fn channel(arrays: &Bound<'_, PyDict>, name: &str) -> Result<Option<Channel>> {
    let Some(given) = arrays.get_item(name)? else {
        return Ok(None);
    };
    let wrong = || {
        PyTypeError::new_err(format!(
            "log: {name} is an array of float64, shape [n] or [n, 3]"
        ))
    };
    let array: PyArrayLikeDyn<'_, f64, TypeMustMatch> = given.extract().map_err(|_| wrong())?;
    let shape = array.shape().to_vec();
    let values: Vec<f64> = array.as_array().iter().copied().collect();
    if let Some(place) = values.iter().position(|value| !value.is_finite()) {
        let row = place / shape.get(1).copied().unwrap_or(1).max(1);
        return Err(value_error(format!(
            "log: {name}[{row}] is {}",
            values[place]
        )));
    }
    match shape[..] {
        [_] => Ok(Some(Channel::Scalar(values))),
        [_, 3] => {
            let rows = values.chunks_exact(3).map(|row| [row[0], row[1], row[2]]);
            Ok(Some(Channel::Vector(rows.collect())))
        }
        _ => Err(wrong().into()),
    }
}

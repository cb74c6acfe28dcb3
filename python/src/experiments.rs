//! Pressing and scanning: the experiments of the command line as functions.

use insonate::experiments::{
    self, ExperimentError, Palpation, Pictures, Press, Progress, Record, Recorder, Recording, Scan,
    Site, Summary, five_sites,
};
use insonate_calibration::{Channel, Log, Motion};
use insonate_sim::render::RenderConfig;
use insonate_sim::verdict::VerdictLimits;
use insonate_tissue::TissueStress;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Result, value_error};
use crate::learning::json;
use crate::scene::Scene;
use crate::watch::Watch;

/// Columns of the log, name of the phase of each sample, summary as JSON, notes, pictures by camera, the pressure on the face, arrays of the
/// stress in the tissue by name, and why the experiment was stopped.
type Outcome<'py> = (
    Bound<'py, PyDict>,
    Vec<&'static str>,
    String,
    Vec<String>,
    Bound<'py, PyDict>,
    Option<Bound<'py, PyArray2<f64>>>,
    Option<Bound<'py, PyDict>>,
    Option<PyErr>,
);

/// Presses the probe into the torso at a site.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, site, depth, speed, hold, max_force, limits, picture_size, progress))]
pub(crate) fn press(
    py: Python<'_>,
    scene: Py<Scene>,
    site: [f64; 2],
    depth: f64,
    speed: f64,
    hold: f64,
    max_force: f64,
    limits: Vec<String>,
    picture_size: Option<(u32, u32)>,
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
    watched(py, picture_size, progress, |pictures, progress| {
        experiments::press(scene, &press, pictures, progress)
    })
}

/// Slides the probe along a path over the torso.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, start, end, force, speed, max_force, limits, picture_size, progress))]
pub(crate) fn scan(
    py: Python<'_>,
    scene: Py<Scene>,
    start: [f64; 2],
    end: [f64; 2],
    force: f64,
    speed: f64,
    max_force: f64,
    limits: Vec<String>,
    picture_size: Option<(u32, u32)>,
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
    watched(py, picture_size, progress, |pictures, progress| {
        experiments::scan(scene, &scan, pictures, progress)
    })
}

/// Names of the sites, a log and a CSV text of each, ground truth as JSON, and why the recording was stopped.
type Recorded<'py> = (
    Vec<(&'static str, Bound<'py, PyDict>, String)>,
    String,
    Option<PyErr>,
);

/// Records presses at five sites, or at one, for a calibration.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, site, depth, speed, hold, max_force, noise, rate, sine, seed, limits, progress))]
pub(crate) fn palpate<'py>(
    py: Python<'py>,
    scene: Py<Scene>,
    site: Option<[f64; 2]>,
    depth: f64,
    speed: f64,
    hold: f64,
    max_force: f64,
    noise: &str,
    rate: f64,
    sine: Option<[f64; 3]>,
    seed: u64,
    limits: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> Result<Recorded<'py>> {
    let usual = Palpation::default();
    let amplitude = usual.amplitude * (depth / usual.depth);
    let [amplitude, frequency, cycles] = sine.unwrap_or([amplitude, usual.frequency, usual.cycles]);
    let palpation = Palpation {
        depth,
        speed,
        hold,
        amplitude,
        frequency,
        cycles,
        max_force,
        limits: limits_of(&limits)?,
        ..usual
    };
    palpation.check()?;
    let recorder =
        Recorder::parse(noise, rate).map_err(|problem| value_error(format!("noise: {problem}")))?;
    recorder.check()?;
    let scene = &scene.get().scene;
    let config = scene.torso.as_ref().map(|torso| torso.config.clone());
    let sites = match site {
        Some(position) => vec![Site {
            name: "site",
            position: finite("site", position)?,
        }],
        None => five_sites(&config.unwrap_or_default()).to_vec(),
    };
    let mut watch = Watch::new(progress);
    let recording = py.detach(|| {
        let pictures = &mut Pictures::none();
        Recording::of(
            scene,
            &sites,
            &palpation,
            &recorder,
            seed,
            pictures,
            &mut |share| watch.look(share, String::new),
        )
    })?;
    let logs = recording.sites.iter().map(|site| {
        let csv = recording.csv(site, scene);
        Ok((site.truth.name, columns_of(py, &site.log)?, csv))
    });
    let logs = logs.collect::<Result<Vec<_>>>()?;
    Ok((logs, json(&recording.truth(scene))?, watch.into_raised()))
}

/// A log as arrays, as `calibrate` takes them.
fn columns_of<'py>(py: Python<'py>, log: &Log) -> Result<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("time", PyArray1::from_slice(py, &log.time))?;
    let motion = match &log.motion {
        Motion::Indentation(values) => {
            columns.set_item("indentation", PyArray1::from_slice(py, values))?;
            None
        }
        Motion::Position(channel) => Some(("position", channel)),
    };
    let velocity = log.velocity.as_ref().map(|channel| ("velocity", channel));
    let channels = motion
        .into_iter()
        .chain(velocity)
        .chain([("force", &log.force)]);
    for (name, channel) in channels {
        match channel {
            Channel::Scalar(values) => columns.set_item(name, PyArray1::from_slice(py, values))?,
            Channel::Vector(rows) => {
                let array = PyArray1::from_slice(py, rows.as_flattened());
                columns.set_item(name, array.reshape([rows.len(), 3])?)?;
            }
        }
    }
    Ok(columns)
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

/// Runs an experiment without the interpreter's lock. Ctrl-C ends it; what was measured is returned with the exception.
fn watched(
    py: Python<'_>,
    picture_size: Option<(u32, u32)>,
    progress: Option<Py<PyAny>>,
    run: impl FnOnce(
        &mut Pictures,
        Progress<'_>,
    ) -> std::result::Result<(Record, Summary), ExperimentError>
    + Send,
) -> Result<Outcome<'_>> {
    let mut watch = Watch::new(progress);
    let (done, frames, problem) = py.detach(|| {
        // Made here: a renderer stays on its thread.
        let mut pictures = picture_size.map_or_else(Pictures::none, |(width, height)| {
            Pictures::sized(RenderConfig::still(width, height))
        });
        let done = run(&mut pictures, &mut |share| watch.look(share, String::new));
        (done, pictures.frames, pictures.problem)
    });
    let raised = watch.into_raised();
    let ((record, summary), raised) = match (done, raised) {
        // Nothing was measured yet.
        (Err(ExperimentError::Interrupted(_)), Some(raised)) => return Err(raised.into()),
        (done, raised) => (done?, raised),
    };
    let columns = PyDict::new(py);
    for (name, column) in record.columns() {
        columns.set_item(name, PyArray1::from_vec(py, column))?;
    }
    let samples = record.samples.iter();
    let phases = samples.map(|sample| record.phases[sample.phase]).collect();
    let pictures = PyDict::new(py);
    for (camera, picture) in frames {
        let shape = [picture.height as usize, picture.width as usize, 3];
        let array = PyArray1::from_vec(py, picture.rgb).reshape(shape)?;
        pictures.set_item(camera, array)?;
    }
    let mut notes = record.notes;
    notes.extend(problem.map(|problem| format!("no pictures: {problem}")));
    let pressure = record.greatest_pressure.map(|map| {
        let array = PyArray1::from_vec(py, map.pressures);
        array.reshape(map.shape)
    });
    Ok((
        columns,
        phases,
        json(&summary)?,
        notes,
        pictures,
        pressure.transpose()?,
        record
            .stress
            .map(|it| arrays_of(py, it.stress))
            .transpose()?,
        raised,
    ))
}

/// The arrays of `insonate.Stress`.
fn arrays_of(py: Python<'_>, stress: TissueStress) -> Result<Bound<'_, PyDict>> {
    let n = stress.len();
    let arrays = PyDict::new(py);
    let centers = stress.centers().into_flattened();
    let von_mises = stress.von_mises();
    let tensors: Vec<f64> = stress.stresses.iter().flatten().copied().collect();
    let rows = |numbers: Vec<f64>| PyArray1::from_vec(py, numbers).reshape([n, 3]);
    arrays.set_item("centers", rows(centers)?)?;
    let strains = stress.principal_strains.into_flattened();
    arrays.set_item("principal_strains", rows(strains)?)?;
    arrays.set_item("von_mises", PyArray1::from_vec(py, von_mises))?;
    arrays.set_item("volumes", PyArray1::from_vec(py, stress.volumes))?;
    // The tensors are symmetric: rows or columns first is the same.
    let tensors = PyArray1::from_vec(py, tensors).reshape([n, 3, 3])?;
    arrays.set_item("tensors", tensors)?;
    Ok(arrays)
}

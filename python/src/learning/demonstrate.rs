//! Recording of an expert's episodes.

use std::path::PathBuf;

use insonate::datasets::{CameraInfo, DatasetWriter, Format};
use insonate::demonstrations::{RecordPlan, dataset_info, record, recorded_json};
use insonate::envs::ultrasound::PictureSettings;
use insonate::evaluation::NamedPolicy;
use insonate::files::{Claim, OutputFolder};
use insonate::learning::LearningError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use super::{Fixed, json, reset_options};
use crate::error::{Result, SimulationError, value_error};
use crate::settings;
use crate::watch::Watch;

/// Records episodes in a data set. Returns the summary as JSON, and why the recording was stopped.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    clippy::fn_params_excessive_bools,
    reason = "keywords in Python"
)]
#[pyo3(signature = (task, output, *, expert, episodes, seed, format, successes_only, keep_failures, recovery, vary_instruction, image_latency, dropped_frames, noise, cameras, camera_size, b_mode, fix, settings, overwrite, progress))]
pub(crate) fn demonstrate<'py>(
    py: Python<'py>,
    task: String,
    output: PathBuf,
    expert: String,
    episodes: usize,
    seed: u64,
    format: &str,
    successes_only: bool,
    keep_failures: bool,
    recovery: usize,
    vary_instruction: bool,
    image_latency: f64,
    dropped_frames: f64,
    noise: f64,
    cameras: Vec<String>,
    camera_size: (u32, u32),
    b_mode: Option<(usize, usize, usize, Option<f64>)>,
    fix: Fixed,
    settings: &Bound<'py, PyDict>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> Result<(String, Option<PyErr>)> {
    let overrides = settings::table(settings)?;
    let format = named(format)?;
    let (width, height) = camera_size;
    let cameras = cameras.into_iter();
    let plan = RecordPlan {
        n_episodes: episodes,
        seed,
        options: reset_options(fix),
        successes_only,
        keep_failures,
        n_recoveries: recovery,
        vary_instruction,
        image_latency,
        dropped_frames,
        noise,
        cameras: cameras
            .map(|name| CameraInfo {
                name,
                width,
                height,
            })
            .collect(),
        ultrasound: b_mode.map(|(size, lines, samples, depth)| PictureSettings {
            size,
            lines,
            samples,
            depth,
            seed,
            ..PictureSettings::default()
        }),
    };
    plan.check()?;
    let mut watch = Watch::new(progress);
    let summary = py.detach(|| {
        let expert = if expert == "scripted" {
            NamedPolicy::demonstrating_script(&task, &overrides)?
        } else {
            NamedPolicy::load_all(&[expert], Some(&task), &overrides)?.remove(0)
        };
        let env = expert.factory.make()?;
        let spec = env.spec().clone();
        if format.is_folder() {
            let claim = Claim::resuming("demonstrate").overwriting(overwrite);
            // Not held: the data set takes it.
            drop(OutputFolder::create(&output, claim)?);
        }
        let info = dataset_info(&expert, &*env, &plan);
        drop(env);
        let mut writer = DatasetWriter::create(&output, format, info)?;
        let mut agent = expert.agent();
        let recorded = record(&expert, &mut agent, &plan, &mut writer, &mut |n_done| {
            let share = n_done.min(plan.n_total()) as f64 / plan.n_total() as f64;
            watch.look(share, || format!("{n_done} episodes"))
        })?;
        if recorded.n_kept == 0 {
            return Ok(None);
        }
        writer.finish()?;
        let summary = recorded_json(&recorded, &expert, &spec, &plan, (format, &output));
        Ok::<Option<Value>, LearningError>(Some(summary))
    })?;
    match (summary, watch.into_raised()) {
        (Some(summary), raised) => Ok((json(&summary)?, raised)),
        (None, Some(raised)) => Err(raised.into()),
        (None, None) => Err(SimulationError::new_err("no episode was kept").into()),
    }
}

fn named(name: &str) -> Result<Format> {
    let found = Format::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, format)| *format).ok_or_else(|| {
        let known = Format::ALL.map(|(known, _)| known).join(" or ");
        value_error(format!("format is {name:?}; it must be {known}"))
    })
}

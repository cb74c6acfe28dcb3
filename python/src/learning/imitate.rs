//! Imitation learning.

use std::path::PathBuf;

use insonate::demonstrations::{self, ImitationData, imitation_json, losses_csv};
use insonate::files::{Claim, OutputFolder};
use insonate::learning::LearningError;
use insonate::training::ppo_defaults;
use insonate_envs::tasks;
use insonate_rl::imitation::ImitationConfig;
use insonate_rl::run::POLICY;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::json;
use crate::error::Result;
use crate::settings;
use crate::watch::Watch;

/// Trains a policy from demonstrations. Returns the summary as JSON, and why the training was stopped.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (task, data, *, output, overwrite, epochs, batch_size, learning_rate, hidden, convolutions, seed, settings, progress))]
pub(crate) fn imitate<'py>(
    py: Python<'py>,
    task: String,
    data: PathBuf,
    output: PathBuf,
    overwrite: bool,
    epochs: usize,
    batch_size: usize,
    learning_rate: f64,
    hidden: Option<Vec<usize>>,
    convolutions: Vec<usize>,
    seed: u64,
    settings: &Bound<'py, PyDict>,
    progress: Option<Py<PyAny>>,
) -> Result<(String, Option<PyErr>)> {
    let overrides = settings::table(settings)?;
    let usual = ppo_defaults(tasks::by_name(&task)?)?;
    let config = ImitationConfig {
        epochs,
        batch_size,
        learning_rate,
        clip_obs: usual.clip_obs,
        hidden_sizes: hidden.unwrap_or(usual.hidden_sizes),
        convolutions,
        activation: usual.activation,
        seed,
    };
    config.check()?;
    let mut watch = Watch::new(progress);
    let summary = py.detach(|| {
        let lesson = ImitationData::read(&data, &task, &overrides)?;
        let claim = Claim::by("imitate").overwriting(overwrite);
        let folder = OutputFolder::create(&output, claim)?;
        let learnt = demonstrations::imitate(&lesson, &config, &mut |losses| {
            let share = losses.epoch as f64 / config.epochs as f64;
            watch.look(share, || format!("loss {:.5}", losses.training))
        })?;
        learnt.policy.save(&folder.file(POLICY)?)?;
        folder.write("losses.csv", losses_csv(&learnt.losses).as_bytes())?;
        let summary = imitation_json(&lesson, &learnt, &config, &data, &output);
        let text = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{text}\n").as_bytes())?;
        Ok::<_, LearningError>(summary)
    })?;
    Ok((json(&summary)?, watch.into_raised()))
}

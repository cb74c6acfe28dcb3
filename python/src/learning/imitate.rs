//! Imitation learning.

use std::path::PathBuf;

use insonate::demonstrations::{
    ImitationData, RoundProgress, RoundsPlan, imitate_in_rounds, imitation_json, losses_csv,
    rounds_csv,
};
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
#[pyo3(signature = (task, data, *, output, overwrite, epochs, batch_size, learning_rate, hidden, convolutions, rounds, episodes, expert_share, threads, seed, settings, progress))]
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
    rounds: usize,
    episodes: usize,
    expert_share: f64,
    threads: usize,
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
    let plan = RoundsPlan {
        n_rounds: rounds,
        n_episodes: episodes,
        expert_share,
        n_threads: threads,
    };
    plan.check()?;
    let mut watch = Watch::new(progress);
    let summary = py.detach(|| {
        let mut lesson = ImitationData::read(&data, &task, &overrides)?;
        let claim = Claim::by("imitate").overwriting(overwrite);
        let folder = OutputFolder::create(&output, claim)?;
        // Progress counts epochs and episodes of all rounds.
        let n_epochs = config.epochs as f64;
        let of_round = n_epochs + plan.n_episodes as f64;
        let total = n_epochs + plan.n_rounds as f64 * of_round;
        let learnt = imitate_in_rounds(&mut lesson, &config, &plan, &mut |now| match now {
            RoundProgress::Epoch(round, losses) => {
                let done = round as f64 * of_round + losses.epoch as f64;
                watch.look(done / total, || format!("loss {:.5}", losses.training))
            }
            RoundProgress::Episodes(round, n_done) => {
                let done = round as f64 * of_round + n_done as f64 - plan.n_episodes as f64;
                watch.look(done / total, || format!("round {round}"))
            }
            RoundProgress::Round(ended) => {
                let done = n_epochs + ended.round as f64 * of_round;
                watch.look(done / total, || format!("round {}", ended.round))
            }
        })?;
        let (learnt, rounds) = learnt;
        learnt.policy.save(&folder.file(POLICY)?)?;
        folder.write("losses.csv", losses_csv(&learnt.losses).as_bytes())?;
        if plan.n_rounds > 0 {
            folder.write("rounds.csv", rounds_csv(&rounds).as_bytes())?;
        }
        let summary = imitation_json(
            &lesson,
            &learnt,
            &config,
            [&data, &output],
            (&plan, &rounds),
        );
        let text = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{text}\n").as_bytes())?;
        Ok::<_, LearningError>(summary)
    })?;
    Ok((json(&summary)?, watch.into_raised()))
}

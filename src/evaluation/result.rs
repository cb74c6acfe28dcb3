//! Running the episodes.

use std::time::Instant;

use super::Contestant;
use crate::envs::{Autoreset, EnvSpec, EpisodeStatistics, ResetOptions, VecConfig, VecEnv};
use crate::rl;

/// Which episodes, and how they are run; the figures depend on the first two alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Episode e of a block has the block's seed + e.
    pub seeds: Vec<u64>,
    /// Episodes for each seed.
    pub n_episodes: usize,
    /// Random parameters that are fixed.
    pub options: ResetOptions,
    /// Environments that step together.
    pub n_envs: usize,
    /// Threads; 0: one for each core.
    pub n_threads: usize,
}

/// What a policy did.
#[derive(Debug)]
pub struct EvaluationResult {
    /// The policy's name.
    pub name: String,
    /// What its environments are.
    pub spec: EnvSpec,
    /// Every episode, in order.
    pub episodes: Vec<EpisodeStatistics>,
    /// Time that it took [s].
    pub seconds: f64,
}

/// Runs all episodes under a policy; `progress` is told how many are over.
///
/// # Errors
/// As [`rl::evaluate`].
pub fn evaluate(
    contestant: &Contestant,
    schedule: &Schedule,
    progress: &mut dyn FnMut(usize),
) -> anyhow::Result<EvaluationResult> {
    let begun = Instant::now();
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: schedule.n_threads,
        ..VecConfig::default()
    };
    let n_envs = schedule.n_envs.clamp(1, schedule.n_episodes.max(1));
    let mut env = VecEnv::new(contestant.factory.make_many(n_envs)?, config)?;
    let mut actor = contestant.actor();
    let mut episodes: Vec<EpisodeStatistics> = Vec::new();
    for &seed in &schedule.seeds {
        let n_before = episodes.len();
        let block = rl::evaluate(
            &mut env,
            &mut actor,
            schedule.n_episodes,
            seed,
            &schedule.options,
            &mut |n_done| progress(n_before + n_done),
        )?;
        episodes.extend(block);
    }
    Ok(EvaluationResult {
        name: contestant.name.clone(),
        spec: env.spec().clone(),
        episodes,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

impl EvaluationResult {
    /// The metric called `name` of each episode; none where the task has it not.
    pub fn metric(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.spec.metrics.iter().position(|known| *known == name)?;
        Some(
            self.episodes
                .iter()
                .map(|episode| episode.metrics[index])
                .collect(),
        )
    }

    /// Successful episodes; none where the task does not tell.
    pub fn n_successes(&self) -> Option<usize> {
        let successes = self.metric("success")?;
        Some(successes.iter().filter(|success| **success > 0.5).count())
    }

    /// Why episodes ended, with counts, the most frequent first; a divergence counts as one reason, wherever it was.
    pub fn end_reasons(&self) -> Vec<(String, usize)> {
        count(self.episodes.iter())
    }

    /// The same of the episodes that failed.
    pub fn failures(&self) -> Vec<(String, usize)> {
        let successes = self.metric("success").unwrap_or_default();
        let episodes = self.episodes.iter().zip(successes);
        count(
            episodes
                .filter(|(_, success)| *success <= 0.5)
                .map(|(episode, _)| episode),
        )
    }
}

fn count<'a>(episodes: impl Iterator<Item = &'a EpisodeStatistics>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for episode in episodes {
        let reason = short_reason(episode);
        match counts.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, n)) => *n += 1,
            None => counts.push((reason, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// Why an episode ended, without the place and time of a divergence.
pub(super) fn short_reason(episode: &EpisodeStatistics) -> String {
    match &episode.reason {
        crate::envs::EndReason::Diverged(_) => "diverged".to_owned(),
        reason => reason.text().into_owned(),
    }
}

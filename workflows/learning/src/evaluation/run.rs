//! Runs the episodes of an evaluation.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use insonate_envs::{
    Autoreset, EnvError, EnvSpec, EpisodeStatistics, ResetOptions, VecConfig, VecEnv,
};

use super::NamedPolicy;
use super::patients::{PatientFigures, by_patient};
use crate::LearningError;
use crate::patients::{patient_folders, trained_on};

/// Episodes of an evaluation and how they are run.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationPlan {
    /// Seeds of the blocks. Episode e of a block has the block's seed + e.
    pub seeds: Vec<u64>,
    /// Number of episodes per block.
    pub n_episodes: usize,
    /// Random parameters that are fixed.
    pub options: ResetOptions,
    /// Number of environments that step together. It does not affect the results.
    pub n_envs: usize,
    /// Number of threads; 0 uses one per core. It does not affect the results.
    pub n_threads: usize,
}

impl EvaluationPlan {
    /// Checks that there are episodes, and that no two seeds share one.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        let invalid = |field: &str, problem: String| EnvError::Config {
            field: field.to_owned(),
            problem,
        };
        if self.n_episodes == 0 {
            return Err(invalid(
                "episodes",
                "is 0; it must be at least 1".to_owned(),
            ));
        }
        let mut sorted = self.seeds.clone();
        sorted.sort_unstable();
        let n_episodes = self.n_episodes as u64;
        let mut neighbours = sorted.iter().zip(sorted.iter().skip(1));
        match neighbours.find(|(a, b)| *b - *a < n_episodes) {
            None => Ok(()),
            Some((a, b)) => Err(invalid(
                "seeds",
                format!(
                    "{a} and {b} share episodes, since episode e has the seed S + e: choose seeds at least {n_episodes} apart"
                ),
            )),
        }
    }
}

/// Results of the episodes of a policy.
#[derive(Debug)]
pub struct EvaluationResult {
    /// The policy's name.
    pub name: String,
    /// The policy's name and, if it is a folder, the file that was read.
    pub described: String,
    /// The policy's file; `None` for a built-in policy.
    pub file: Option<PathBuf>,
    /// Specification of the environment.
    pub spec: EnvSpec,
    /// All episodes, in order.
    pub episodes: Vec<EpisodeStatistics>,
    /// Duration of the evaluation [s].
    pub seconds: f64,
    /// Folders of the made patients of the episodes.
    pub patients: Vec<String>,
    /// Names of the patients on which the policy was trained; `None` for a built-in policy.
    pub trained_on: Option<Vec<String>>,
}

/// Runs all episodes with a policy. `progress` receives the number of finished episodes and may interrupt.
///
/// # Errors
/// The errors of [`insonate_rl::evaluate`].
pub fn evaluate(
    policy: &NamedPolicy,
    plan: &EvaluationPlan,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<EvaluationResult, LearningError> {
    let start = Instant::now();
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: plan.n_threads,
    };
    let n_envs = plan.n_envs.clamp(1, plan.n_episodes.max(1));
    let mut env = VecEnv::new(policy.factory.make_many(n_envs)?, config)?;
    let mut agent = policy.agent();
    let mut episodes: Vec<EpisodeStatistics> = Vec::new();
    for &seed in &plan.seeds {
        let n_before = episodes.len();
        let block = insonate_rl::evaluate(
            &mut env,
            &mut agent,
            plan.n_episodes,
            seed,
            &plan.options,
            &mut |n_done| progress(n_before + n_done),
        )?;
        let is_whole = block.len() == plan.n_episodes;
        episodes.extend(block);
        if !is_whole {
            break;
        }
    }
    Ok(EvaluationResult {
        name: policy.name.clone(),
        described: policy.described(),
        file: policy.file.clone(),
        spec: env.spec().clone(),
        episodes,
        seconds: start.elapsed().as_secs_f64(),
        patients: patient_folders(&policy.factory.settings),
        trained_on: policy
            .policy
            .as_ref()
            .map(|policy| trained_on(&policy.identity))
            .transpose()?,
    })
}

impl EvaluationResult {
    /// A metric of each episode; `None` if the task does not have it.
    pub fn metric(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.spec.metrics.iter().position(|known| *known == name)?;
        Some(
            self.episodes
                .iter()
                .map(|episode| episode.metrics[index])
                .collect(),
        )
    }

    /// Figures for each made patient; empty if the task has none.
    pub fn by_patient(&self) -> Vec<PatientFigures> {
        let trained_on = self.trained_on.as_deref();
        by_patient(&self.patients, trained_on, &self.spec, &self.episodes)
    }

    /// Total cost of each episode.
    pub fn costs(&self) -> impl Iterator<Item = f64> {
        self.episodes
            .iter()
            .map(|episode| episode.costs.iter().sum())
    }

    /// Number of successful episodes; `None` if the task has no such metric.
    pub fn n_successes(&self) -> Option<usize> {
        let successes = self.metric("success")?;
        Some(successes.iter().filter(|success| **success > 0.5).count())
    }

    /// Episodes that failed their verdict; `None` if the task has no verdict.
    pub fn failed_verdicts(&self) -> Option<Vec<&EpisodeStatistics>> {
        let judged = || self.episodes.iter().filter(|it| it.verdict.is_some());
        let has_failed = |episode: &&EpisodeStatistics| {
            let verdict = episode.verdict.as_ref();
            verdict.is_some_and(|verdict| !verdict.is_passed())
        };
        judged().next()?;
        Some(judged().filter(has_failed).collect())
    }

    /// First reason of each episode that failed its verdict, without its numbers, with counts, most frequent first.
    ///
    /// Numbers differ between episodes, so they are removed before reasons are counted.
    pub fn failure_reasons(&self) -> Vec<(String, usize)> {
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        for episode in self.failed_verdicts().unwrap_or_default() {
            let verdict = episode.verdict.as_ref();
            if let Some(reason) = verdict.and_then(|verdict| verdict.reasons.first()) {
                *counts.entry(without_numbers(reason)).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// Reasons for the end of episodes, with counts, most frequent first.
    pub fn end_reasons(&self) -> Vec<(String, usize)> {
        count(self.episodes.iter())
    }

    /// Reasons for the end of episodes that failed, with counts, most frequent first.
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

/// Reason for the end of an episode, without the details of a divergence.
fn short_reason(episode: &EpisodeStatistics) -> String {
    match &episode.reason {
        insonate_envs::EndReason::Diverged(_) => "diverged".to_owned(),
        reason => reason.text().into_owned(),
    }
}

/// Replaces each number in a text by `…`.
fn without_numbers(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        if word.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            "…"
        } else {
            word
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

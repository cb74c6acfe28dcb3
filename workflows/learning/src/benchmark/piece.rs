//! A piece of a benchmark: one policy in one problem, with one seed of its training.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Instant;

use insonate_envs::ResetOptions;
use insonate_experiments::Interrupted;
use insonate_files::OutputFolder;
use insonate_rl::RunOptions;
use serde::{Deserialize, Serialize};

use super::machine::{machine, n_cores};
use super::suite::{Learner, Problem, Suite};
use super::{BenchmarkEvent, BenchmarkPlan, Observer};
use crate::LearningError;
use crate::evaluation::{EvaluationPlan, EvaluationResult, NamedPolicy, evaluate};
use crate::training::{Plan, StartMode, StopReason, TrainingSummary, train};

/// Number of environments that step together in an evaluation.
const N_ENVS: usize = 16;

/// A policy of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// A policy that exists: `scripted`, `random`, `zero`, or a file.
    Ready {
        /// Name in the table.
        name: String,
        /// Built-in policy, policy file, or folder of a training.
        path: String,
        /// SHA-256 of the policy file in hexadecimal digits; `None` for a built-in policy.
        sha256: Option<String>,
    },
    /// A policy that is trained.
    Learned {
        /// The algorithm and its settings.
        learner: Learner,
        /// Seed of the training.
        seed: u64,
    },
}

/// A policy, a problem and its episodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The problem.
    pub problem: Problem,
    /// The policy.
    pub policy: Policy,
    /// Number of episodes.
    pub n_episodes: usize,
    /// Seed of the first episode.
    pub first_episode: u64,
}

/// Result of a piece; it is written to `pieces/NAME.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceResult {
    /// Name of the problem.
    pub problem: String,
    /// Name of the policy.
    pub policy: String,
    /// Seed of the training; `None` for a policy that was not trained here.
    pub seed: Option<u64>,
    /// SHA-256 of a given policy file in hexadecimal digits.
    pub policy_sha256: Option<String>,
    /// The evaluation.
    pub episodes: PieceEpisodes,
    /// The training.
    pub training: Option<PieceTraining>,
    /// Times, which differ from run to run.
    pub timing: PieceTiming,
    /// Commit of the build; `None` if unknown.
    pub commit: Option<String>,
    /// Version of insonate.
    pub insonate_version: String,
}

/// Values of each episode, in order; `None` where an episode does not know a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceEpisodes {
    /// Returns.
    #[serde(rename = "return")]
    pub returns: Vec<Option<f64>>,
    /// Sums of costs; empty for a task without costs.
    pub cost: Vec<Option<f64>>,
    /// Metrics by name.
    pub metrics: BTreeMap<String, Vec<Option<f64>>>,
    /// Number of episodes that failed their verdict; `None` for a task without verdicts.
    pub n_failed_verdicts: Option<usize>,
}

/// Figures of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceTraining {
    /// Steps that were done.
    pub steps: u64,
    /// Steps until the task was solved, if it was.
    pub solved_steps: Option<u64>,
}

/// Times of a piece [s].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceTiming {
    /// The number of cores and the processor.
    pub machine: String,
    /// Number of threads.
    pub n_threads: usize,
    /// Training without its evaluations.
    pub train_s: Option<f64>,
    /// Training with evaluations until the task was solved.
    pub solved_s: Option<f64>,
    /// Final evaluation.
    pub evaluation_s: f64,
}

impl Piece {
    pub(super) fn new(suite: &Suite, problem: &Problem, policy: Policy) -> Self {
        Self {
            n_episodes: problem.episodes.unwrap_or(suite.episodes),
            first_episode: suite.first_episode,
            problem: problem.clone(),
            policy,
        }
    }

    /// Name of the policy in the table.
    pub fn policy_name(&self) -> &str {
        match &self.policy {
            Policy::Ready { name, .. } => name,
            Policy::Learned { learner, .. } => &learner.name,
        }
    }

    /// Seed of the training.
    pub const fn seed(&self) -> Option<u64> {
        match &self.policy {
            Policy::Ready { .. } => None,
            Policy::Learned { seed, .. } => Some(*seed),
        }
    }

    /// SHA-256 of a given policy file.
    pub(super) fn sha256(&self) -> Option<&str> {
        match &self.policy {
            Policy::Ready { sha256, .. } => sha256.as_deref(),
            Policy::Learned { .. } => None,
        }
    }

    /// Steps of the training.
    pub const fn steps(&self) -> Option<usize> {
        match &self.policy {
            Policy::Ready { .. } => None,
            Policy::Learned { learner, .. } => Some(learner.steps),
        }
    }

    /// Name of the piece, which is that of its file.
    pub fn name(&self) -> String {
        // Paths of policies hold letters that names of files must not.
        let policy: String = self
            .policy_name()
            .chars()
            .map(|letter| match letter {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' => letter,
                _ => '-',
            })
            .collect();
        match self.seed() {
            None => format!("{}_{policy}", self.problem.name),
            Some(seed) => format!("{}_{policy}_seed-{seed}", self.problem.name),
        }
    }
}

/// Trains, or resumes the training, and evaluates.
pub(super) fn run(
    piece: &Piece,
    plan: &BenchmarkPlan,
    folder: &OutputFolder,
    observer: Observer<'_>,
) -> Result<PieceResult, LearningError> {
    let (path, summary) = match &piece.policy {
        Policy::Ready { path, .. } => (path.clone(), None),
        Policy::Learned { learner, seed } => {
            let path = folder.folder(&format!("trainings/{}", piece.name()))?;
            let training = training(piece, learner, *seed, plan, &path)?;
            let summary = trained(&training, observer)?;
            (path.display().to_string(), Some(summary))
        }
    };
    let mut named = NamedPolicy::load_all(&[path], Some(&piece.problem.task), &piece.problem.env)?;
    let mut policy = named.remove(0);
    piece.policy_name().clone_into(&mut policy.name);
    let result = evaluated(piece, &policy, plan.n_threads, observer)?;
    Ok(PieceResult {
        problem: piece.problem.name.clone(),
        policy: policy.name.clone(),
        seed: piece.seed(),
        policy_sha256: piece.sha256().map(str::to_owned),
        episodes: episodes(&result),
        training: summary.as_ref().map(|summary| PieceTraining {
            steps: summary.global_step,
            solved_steps: summary.solved.map(|solved| solved.global_step),
        }),
        timing: PieceTiming {
            machine: machine(),
            n_threads: match plan.n_threads {
                0 => n_cores(),
                n => n,
            },
            train_s: summary.as_ref().map(|summary| summary.train_s),
            solved_s: summary.and_then(|summary| summary.solved.map(|solved| solved.wall_s)),
            evaluation_s: result.seconds,
        },
        commit: plan.commit.clone(),
        insonate_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

fn training(
    piece: &Piece,
    learner: &Learner,
    seed: u64,
    plan: &BenchmarkPlan,
    path: &std::path::Path,
) -> Result<Plan, LearningError> {
    let overrides = learner.overrides(&piece.problem, seed)?;
    let start = if Plan::can_resume(path) {
        StartMode::Resume
    } else {
        StartMode::Overwrite
    };
    let mut training = Plan::new(Some(&piece.problem.task), &overrides, path, start)?;
    training.n_threads = plan.n_threads;
    training.run = RunOptions {
        tensorboard: false,
        ..training.run
    };
    Ok(training)
}

fn trained(plan: &Plan, observer: Observer<'_>) -> Result<TrainingSummary, LearningError> {
    let stopped = Cell::new(false);
    let result = train(plan, &|| stopped.get(), &mut |event| {
        if observer(&BenchmarkEvent::Training(&event)).is_break() {
            stopped.set(true);
        }
    })?;
    if result.summary.stop_reason == StopReason::Interrupted {
        return Err(Interrupted.into());
    }
    Ok(result.summary)
}

fn evaluated(
    piece: &Piece,
    policy: &NamedPolicy,
    n_threads: usize,
    observer: Observer<'_>,
) -> Result<EvaluationResult, LearningError> {
    let plan = EvaluationPlan {
        seeds: vec![piece.first_episode],
        n_episodes: piece.n_episodes,
        options: ResetOptions::default(),
        n_envs: N_ENVS,
        n_threads,
    };
    let start = Instant::now();
    let mut result = evaluate(policy, &plan, &mut |n_done| {
        let share = n_done as f64 / piece.n_episodes as f64;
        observer(&BenchmarkEvent::Evaluating(share))
    })?;
    if result.episodes.len() < piece.n_episodes {
        return Err(Interrupted.into());
    }
    result.seconds = start.elapsed().as_secs_f64();
    Ok(result)
}

fn episodes(result: &EvaluationResult) -> PieceEpisodes {
    let known = |value: f64| value.is_finite().then_some(value);
    let metric = |name: &&'static str| {
        let values = result.metric(name).unwrap_or_default();
        ((*name).to_owned(), values.into_iter().map(known).collect())
    };
    let has_costs = !result.spec.costs.is_empty();
    let returns = result.episodes.iter().map(|episode| known(episode.return_));
    PieceEpisodes {
        returns: returns.collect(),
        cost: result.costs().filter(|_| has_costs).map(known).collect(),
        metrics: result.spec.metrics.iter().map(metric).collect(),
        n_failed_verdicts: result.failed_verdicts().map(|failed| failed.len()),
    }
}

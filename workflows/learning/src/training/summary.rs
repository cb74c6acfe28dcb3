//! Summary of a training.

use insonate_rl::AlgorithmKind;
use serde::Serialize;

use super::{Evaluation, History, Plan, evaluations};
use crate::evaluation::PatientFigures;

/// Why a training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All timesteps are done.
    Finished,
    /// The task is solved, with `evaluation.stop`.
    Solved,
    /// Interrupted; can be resumed.
    Interrupted,
}

/// The first evaluation whose success rate reached the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Solved {
    /// The success rate that counts as solved.
    pub success_target: f64,
    /// Number of training steps before the evaluation.
    pub global_step: u64,
    /// Training time before the evaluation [s].
    pub train_s: f64,
    /// Wall-clock time before it, with all evaluations up to it [s].
    pub wall_s: f64,
}

/// Summary of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EvaluationSummary {
    /// Number of training steps before the evaluation.
    pub global_step: u64,
    /// Success rate; `None` if the task has no such metric.
    pub success_rate: Option<f64>,
    /// Mean return.
    pub return_mean: f64,
    /// Mean absolute error of the force [N]; `None` if the task has no force.
    pub force_mae_n: Option<f64>,
    /// Mean total cost of an episode; `None` if the task has no costs.
    pub cost: Option<f64>,
    /// Number of episodes.
    pub n_episodes: usize,
}

/// Summary of a training; written to `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainingSummary {
    /// The task.
    pub task: String,
    /// The algorithm.
    pub algorithm: AlgorithmKind,
    /// Seed of the training.
    pub seed: u64,
    /// Reason for the end of the training.
    #[serde(rename = "ending")]
    pub stop_reason: StopReason,
    /// Number of training steps done.
    pub global_step: u64,
    /// Number of training steps in the settings.
    pub total_timesteps: usize,
    /// Training time without evaluations [s].
    pub train_s: f64,
    /// Duration of the evaluations [s].
    pub evaluation_s: f64,
    /// Wall-clock time of all sessions [s].
    pub wall_s: f64,
    /// Training steps per second of training.
    pub frames_per_second: f64,
    /// Number of threads in this session.
    pub n_threads: usize,
    /// The first evaluation that solved the task.
    pub solved: Option<Solved>,
    /// The last evaluation.
    pub last: Option<EvaluationSummary>,
    /// The best evaluation; its policy is `best_policy.safetensors`.
    pub best: Option<EvaluationSummary>,
    /// The last policy on each made patient, those that were held out too; empty if the task has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patients: Vec<PatientFigures>,
    /// Version of insonate.
    pub insonate_version: &'static str,
}

impl EvaluationSummary {
    fn of(evaluation: &Evaluation) -> Self {
        Self {
            global_step: evaluation.global_step,
            success_rate: evaluation.success_rate(),
            return_mean: evaluation.return_mean,
            force_mae_n: evaluation.metric("force_mae_n"),
            cost: evaluation.cost(),
            n_episodes: evaluation.n_episodes,
        }
    }
}

impl TrainingSummary {
    pub(super) fn of(
        plan: &Plan,
        history: &History,
        stop_reason: StopReason,
        n_threads: usize,
        wall_s: f64,
    ) -> Self {
        let global_step = history.iterations.last().map_or(0, |row| row.global_step);
        let train_s = history.train_s();
        Self {
            task: plan.settings.factory.task.to_owned(),
            algorithm: plan.settings.algorithm.kind(),
            seed: plan.settings.algorithm.seed(),
            stop_reason,
            global_step,
            total_timesteps: plan.settings.algorithm.total_timesteps(),
            train_s,
            evaluation_s: history.evaluation_s(),
            wall_s,
            frames_per_second: global_step as f64 / train_s.max(1e-9),
            n_threads,
            solved: solved(&history.evaluations, plan.settings.evaluation.success),
            last: history.evaluations.last().map(EvaluationSummary::of),
            best: history
                .best(plan.settings.algorithm.cost_limit())
                .map(EvaluationSummary::of),
            patients: Vec::new(),
            insonate_version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The first evaluation that reached the success target.
pub(super) fn solved(evaluations: &[Evaluation], success_target: f64) -> Option<Solved> {
    let first = evaluations
        .iter()
        .position(|e| e.success_rate().is_some_and(|rate| rate >= success_target))?;
    let evaluation_s = evaluations::seconds(&evaluations[..=first]);
    let Evaluation {
        global_step,
        train_s,
        ..
    } = evaluations[first];
    Some(Solved {
        success_target,
        global_step,
        train_s,
        wall_s: train_s + evaluation_s,
    })
}

//! Summary of one training that is repeated with several seeds.

use serde::Serialize;

use super::TrainingSummary;
use crate::evaluation::Estimate;

/// Means over seeds with 95 % intervals.
#[derive(Debug, Clone, Serialize)]
pub struct SeedsSummary {
    /// The task.
    pub task: String,
    /// Seeds.
    pub seeds: Vec<u64>,
    /// Number of seeds with which the task was solved.
    pub n_solved: usize,
    /// Success rate of the best evaluation.
    pub success_rate: Estimate,
    /// Mean return of the best evaluation.
    pub return_mean: Estimate,
    /// Wall-clock time until the task was solved, including evaluations [s], over the seeds that solved it.
    pub solved_wall_s: Estimate,
    /// Number of training steps until the task was solved, over the seeds that solved it.
    pub solved_global_step: Estimate,
    /// Summary of each seed.
    pub runs: Vec<TrainingSummary>,
}

/// Summarises the trainings of several seeds.
pub fn summarize_seeds(runs: Vec<TrainingSummary>) -> SeedsSummary {
    let over = |of: &dyn Fn(&TrainingSummary) -> Option<f64>| {
        Estimate::of(runs.iter().map(|run| of(run).unwrap_or(f64::NAN)))
    };
    SeedsSummary {
        task: runs.first().map(|run| run.task.clone()).unwrap_or_default(),
        seeds: runs.iter().map(|run| run.seed).collect(),
        n_solved: runs.iter().filter(|run| run.solved.is_some()).count(),
        success_rate: over(&|run| run.best?.success_rate),
        return_mean: over(&|run| Some(run.best?.return_mean)),
        solved_wall_s: over(&|run| Some(run.solved?.wall_s)),
        solved_global_step: over(&|run| Some(run.solved?.global_step as f64)),
        runs,
    }
}

//! Evaluations during training: `evaluations.csv`, one row each, rewritten every time.

use std::path::Path;

use anyhow::Context as _;

use super::table::Table;
use crate::envs::{EnvSpec, EpisodeStatistics};
use crate::evaluation::{cell, known_mean};
use crate::files;

/// Columns before the metrics.
const FIXED: [&str; 6] = [
    "global_step",
    "train_s",
    "evaluation_s",
    "n_episodes",
    "return_mean",
    "length_mean",
];

/// Column of the costs.
const COST: &str = "cost";

/// Figures of a policy without exploration.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Training steps before it.
    pub global_step: u64,
    /// Time of training before it, without evaluations [s].
    pub train_s: f64,
    /// Time of the evaluation [s].
    pub evaluation_s: f64,
    /// Episodes.
    pub n_episodes: usize,
    /// Mean return.
    pub return_mean: f64,
    /// Mean number of steps.
    pub length_mean: f64,
    /// Mean of each metric of the task with its name, over the episodes where it is known; NaN: in none. Where the task has costs, `cost`
    /// is the last: all of them together.
    pub metrics: Vec<(String, f64)>,
}

impl Evaluation {
    /// Means over episodes.
    pub(super) fn of(episodes: &[EpisodeStatistics], spec: &EnvSpec) -> Self {
        let mean = |of: &dyn Fn(&EpisodeStatistics) -> f64| known_mean(episodes.iter().map(of));
        let metrics = spec.metrics.iter().enumerate();
        let cost = (!spec.costs.is_empty()).then(|| {
            let cost = mean(&|episode| episode.costs.iter().sum());
            (COST.to_owned(), cost)
        });
        Self {
            global_step: 0,
            train_s: 0.0,
            evaluation_s: 0.0,
            n_episodes: episodes.len(),
            return_mean: mean(&|episode| episode.return_),
            length_mean: mean(&|episode| episode.length as f64),
            metrics: metrics
                .map(|(i, name)| ((*name).to_owned(), mean(&|episode| episode.metrics[i])))
                .chain(cost)
                .collect(),
        }
    }

    /// Mean of a metric; none where the task does not have it or it was never known.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let metric = self.metrics.iter().find(|(known, _)| known == name);
        metric.map(|(_, mean)| *mean).filter(|mean| !mean.is_nan())
    }

    /// Success rate; none where the task has no such metric.
    pub fn success_rate(&self) -> Option<f64> {
        self.metric("success")
    }

    /// What an episode cost; none where the task has no costs.
    pub fn cost(&self) -> Option<f64> {
        self.metric(COST)
    }

    /// Whether it is better than another: it keeps the cost limit, if there is one, then more successes, then more return.
    pub(super) fn is_better_than(&self, other: &Self, cost_limit: Option<f64>) -> bool {
        let key = |e: &Self| {
            let keeps = cost_limit.is_none_or(|limit| e.cost().is_none_or(|cost| cost <= limit));
            let keeps = f64::from(u8::from(keeps));
            [keeps, e.success_rate().unwrap_or(0.0), e.return_mean]
        };
        key(self).partial_cmp(&key(other)) == Some(std::cmp::Ordering::Greater)
    }
}

/// Time of all of them [s].
pub(super) fn seconds(evaluations: &[Evaluation]) -> f64 {
    // Not `sum`, which is -0 for none.
    evaluations.iter().fold(0.0, |sum, e| sum + e.evaluation_s)
}

/// Writes the table.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write(path: &Path, evaluations: &[Evaluation]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = evaluations.iter().take(1).flat_map(|e| &e.metrics);
    let header = FIXED
        .iter()
        .copied()
        .chain(names.map(|(name, _)| name.as_str()));
    writer.write_record(header)?;
    for e in evaluations {
        let whole = [e.n_episodes as f64, e.return_mean, e.length_mean];
        let numbers = [e.train_s, e.evaluation_s].into_iter().chain(whole);
        let numbers = numbers.chain(e.metrics.iter().map(|(_, mean)| *mean));
        writer.write_record(std::iter::once(e.global_step.to_string()).chain(numbers.map(cell)))?;
    }
    let text = writer
        .into_inner()
        .context("a table in memory is written")?;
    Ok(files::write(path, &text)?)
}

/// Reads the table; empty without a file.
///
/// # Errors
/// For a file that is not such a table.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Evaluation>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let table = Table::read(path)?;
    anyhow::ensure!(
        table.names.iter().take(FIXED.len()).eq(FIXED),
        "{} is not a table of evaluations",
        path.display()
    );
    let evaluations = table.rows.iter().map(|row| {
        let metrics = table.names.iter().zip(row).skip(FIXED.len());
        Evaluation {
            global_step: row[0] as u64,
            train_s: row[1],
            evaluation_s: row[2],
            n_episodes: row[3] as usize,
            return_mean: row[4],
            length_mean: row[5],
            metrics: metrics.map(|(name, mean)| (name.clone(), *mean)).collect(),
        }
    });
    Ok(evaluations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(success: f64, return_mean: f64) -> Evaluation {
        Evaluation {
            global_step: 4096,
            train_s: 1.5,
            evaluation_s: 0.25,
            n_episodes: 20,
            return_mean,
            length_mean: 200.0,
            metrics: vec![("success".into(), success), ("force_mae_n".into(), 0.1)],
        }
    }

    #[test]
    fn a_table_reads_back_the_same_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(EVALUATIONS_FILE);
        assert_eq!(read(&path).unwrap(), []);
        let written = [evaluation(0.05, -123.456789012345), evaluation(1.0, 1e-7)];
        write(&path, &written).unwrap();
        assert_eq!(read(&path).unwrap(), written);
        std::fs::write(&path, "time,force\n1,2\n").unwrap();
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("not a table of evaluations")
        );
    }

    const EVALUATIONS_FILE: &str = super::super::folder::EVALUATIONS;

    #[test]
    fn success_counts_before_return() {
        assert!(evaluation(0.5, 1.0).is_better_than(&evaluation(0.4, 9.0), None));
        assert!(evaluation(0.5, 2.0).is_better_than(&evaluation(0.5, 1.0), None));
        assert!(!evaluation(0.5, 1.0).is_better_than(&evaluation(0.5, 1.0), None));
        assert_eq!(evaluation(f64::NAN, 1.0).success_rate(), None);
    }

    #[test]
    fn keeping_the_cost_limit_counts_before_success() {
        let costing = |success, cost| {
            let mut evaluation = evaluation(success, 1.0);
            evaluation.metrics.push((COST.to_owned(), cost));
            evaluation
        };
        let (gentle, hasty) = (costing(0.5, 0.3), costing(1.0, 2.0));
        assert!(gentle.is_better_than(&hasty, Some(1.0)));
        assert!(hasty.is_better_than(&gentle, Some(3.0)));
        assert!(hasty.is_better_than(&gentle, None));
    }
}

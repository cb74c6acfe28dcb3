//! Evaluations during training: `evaluations.csv` with one row per evaluation. The file is rewritten each time.

use std::path::Path;

use insonate_envs::{EnvSpec, EpisodeStatistics};

use super::table::Table;
use crate::LearningError;
use crate::evaluation::{cell, known_mean};

/// Columns before the metrics.
const FIXED: [&str; 6] = [
    "global_step",
    "train_s",
    "evaluation_s",
    "n_episodes",
    "return_mean",
    "length_mean",
];

/// Column of the total cost.
const COST: &str = "cost";

/// Results of a policy without exploration.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Number of training steps before the evaluation.
    pub global_step: u64,
    /// Training time before the evaluation, without evaluations [s].
    pub train_s: f64,
    /// Duration of the evaluation [s].
    pub evaluation_s: f64,
    /// Number of episodes.
    pub n_episodes: usize,
    /// Mean return.
    pub return_mean: f64,
    /// Mean number of steps.
    pub length_mean: f64,
    /// Name and mean of each metric over the episodes in which it is known; NaN if it is known in none. If the task has costs, the last
    /// entry is `cost`, their sum.
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

    /// Mean of a metric; `None` if the task does not have it or it was never known.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let metric = self.metrics.iter().find(|(known, _)| known == name);
        metric.map(|(_, mean)| *mean).filter(|mean| !mean.is_nan())
    }

    /// Success rate; `None` if the task has no such metric.
    pub fn success_rate(&self) -> Option<f64> {
        self.metric("success")
    }

    /// Mean total cost of an episode; `None` if the task has no costs.
    pub fn cost(&self) -> Option<f64> {
        self.metric(COST)
    }

    /// Whether this evaluation is better than another. Compares whether the cost limit is kept (if there is one), then
    /// success, then return.
    pub(super) fn is_better_than(&self, other: &Self, cost_limit: Option<f64>) -> bool {
        let key = |e: &Self| {
            let keeps = cost_limit.is_none_or(|limit| e.cost().is_none_or(|cost| cost <= limit));
            let keeps = f64::from(u8::from(keeps));
            [keeps, e.success_rate().unwrap_or(0.0), e.return_mean]
        };
        key(self).partial_cmp(&key(other)) == Some(std::cmp::Ordering::Greater)
    }
}

/// Duration of all evaluations [s].
pub(super) fn seconds(evaluations: &[Evaluation]) -> f64 {
    // `sum` of an empty list would be −0.
    evaluations.iter().fold(0.0, |sum, e| sum + e.evaluation_s)
}

/// Writes the table.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write(path: &Path, evaluations: &[Evaluation]) -> Result<(), LearningError> {
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
    let text = writer.into_inner();
    let text = text.map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(insonate_files::write(path, &text)?)
}

/// Reads the table; empty if there is no file.
///
/// # Errors
/// If the file is not such a table.
pub(super) fn read(path: &Path) -> Result<Vec<Evaluation>, LearningError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let table = Table::read(path)?;
    if !table.names.iter().take(FIXED.len()).eq(FIXED) {
        return Err(LearningError::Content {
            path: path.to_owned(),
            problem: "is not a table of evaluations".to_owned(),
        });
    }
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

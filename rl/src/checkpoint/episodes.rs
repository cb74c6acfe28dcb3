//! The episode window in a checkpoint.

use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};
use crate::training::{EpisodeRecord, EpisodeWindow};

/// Name of the tensor of episode costs.
const COSTS: &str = "episode_costs";

/// Counts of episodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EpisodeCounts {
    total: u64,
    diverged: u64,
    /// Rows of the tensor `episodes`.
    records: usize,
}

impl EpisodeCounts {
    pub(super) fn of(window: &EpisodeWindow) -> Self {
        Self {
            total: window.n_episodes,
            diverged: window.n_diverged,
            records: window.records.len(),
        }
    }
}

/// Adds one row per episode (return, length, metrics, reward terms) and one row of its costs.
pub(super) fn add(writer: &mut TensorWriter, window: &EpisodeWindow) {
    let rows: Vec<f64> = window
        .records
        .iter()
        .flat_map(|record| {
            let figures = [record.return_, record.length].into_iter();
            figures
                .chain(record.metrics.iter().copied())
                .chain(record.reward_terms.iter().copied())
        })
        .collect();
    let n_records = window.records.len();
    let width = rows.len().checked_div(n_records).unwrap_or(0);
    writer.add("episodes", Tensor::f64(&rows, &[n_records, width]));
    let costs: Vec<f64> = window
        .records
        .iter()
        .flat_map(|record| record.costs.iter().copied())
        .collect();
    if !costs.is_empty() {
        let shape = [n_records, costs.len() / n_records];
        writer.add(COSTS, Tensor::f64(&costs, &shape));
    }
}

/// Reads the episodes of a task with the given numbers of metrics, reward terms and costs. Files before version 3 have no costs.
pub(super) fn take(
    file: &mut TensorFile,
    counts: &EpisodeCounts,
    [n_metrics, n_terms, n_costs]: [usize; 3],
    capacity: usize,
) -> Result<EpisodeWindow, RlError> {
    let n_records = counts.records;
    if n_records > capacity {
        return Err(file.invalid(format!("has {n_records} episodes, {capacity} at most")));
    }
    let width = (2 + n_metrics + n_terms) * usize::from(n_records > 0);
    let rows = file.take_f64("episodes", &[n_records, width])?;
    let costs = if file.has(COSTS) {
        file.take_f64(COSTS, &[n_records, n_costs])?
    } else {
        vec![f64::NAN; n_records * n_costs]
    };
    let rows = rows.chunks_exact(width.max(1)).enumerate();
    let records = rows.map(|(i, row)| EpisodeRecord {
        return_: row[0],
        length: row[1],
        metrics: row[2..2 + n_metrics].to_vec(),
        reward_terms: row[2 + n_metrics..].to_vec(),
        costs: costs[i * n_costs..(i + 1) * n_costs].to_vec(),
    });
    Ok(EpisodeWindow {
        records: records.collect(),
        n_episodes: counts.total,
        n_diverged: counts.diverged,
        ..EpisodeWindow::new(capacity)
    })
}

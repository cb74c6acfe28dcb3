//! History of a training, read from its folder.

use std::path::{Path, PathBuf};

use insonate_rl::run::PROGRESS;

use super::folder::EVALUATIONS;
use super::table::Table;
use super::{Evaluation, evaluations};
use crate::LearningError;

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationRow {
    /// Training steps so far.
    pub global_step: u64,
    /// Mean return of the last episodes, with exploration; NaN if unknown.
    pub episodic_return: f64,
    /// Success rate of the last episodes; NaN if unknown.
    pub success: f64,
    /// Mean cost of the last episodes; NaN if unknown.
    pub cost: f64,
    /// Limit of the cost; NaN without a limit.
    pub cost_limit: f64,
    /// Duration of the iteration [s].
    pub seconds: f64,
}

/// Iterations and evaluations of a training.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The folder.
    pub folder: PathBuf,
    /// All iterations.
    pub iterations: Vec<IterationRow>,
    /// All evaluations.
    pub evaluations: Vec<Evaluation>,
}

impl History {
    /// Reads `progress.csv` and `evaluations.csv`.
    ///
    /// # Errors
    /// Without a `progress.csv`, or if the files are not such tables.
    pub fn read(folder: &Path) -> Result<Self, LearningError> {
        Ok(Self {
            folder: folder.to_owned(),
            iterations: iterations(&folder.join(PROGRESS))?,
            evaluations: evaluations::read(&folder.join(EVALUATIONS))?,
        })
    }

    /// Training time without evaluations [s].
    pub fn train_s(&self) -> f64 {
        // `sum` of an empty list would be −0.
        self.iterations
            .iter()
            .fold(0.0, |sum, row| sum + row.seconds)
    }

    /// Duration of the evaluations [s].
    pub fn evaluation_s(&self) -> f64 {
        evaluations::seconds(&self.evaluations)
    }

    /// The best evaluation of a training, under a cost limit if there is one.
    pub fn best(&self, cost_limit: Option<f64>) -> Option<&Evaluation> {
        let is_better = |e: &Evaluation, best: &Evaluation| e.is_better_than(best, cost_limit);
        let evaluations = self.evaluations.iter();
        evaluations.reduce(|best, e| if is_better(e, best) { e } else { best })
    }
}

fn iterations(path: &Path) -> Result<Vec<IterationRow>, LearningError> {
    let table = Table::read(path)?;
    // A training that was interrupted during its first iteration has no header yet.
    if table.rows.is_empty() && table.names.iter().all(String::is_empty) {
        return Ok(Vec::new());
    }
    let column = |name: &str| table.names.iter().position(|known| known == name);
    let needed = |name: &str| {
        column(name).ok_or_else(|| LearningError::Content {
            path: path.to_owned(),
            problem: format!("is not a table of iterations: it has no {name}"),
        })
    };
    let step = needed("global_step")?;
    let return_ = needed("charts/episodic_return")?;
    let times = [needed("time/rollout_s")?, needed("time/update_s")?];
    let success = column("episode/success");
    let [cost, cost_limit] = ["charts/episodic_cost", "charts/cost_limit"].map(column);
    let or_nan = |column: Option<usize>, row: &[f64]| column.map_or(f64::NAN, |i| row[i]);
    let rows = table.rows.iter().map(|row| IterationRow {
        global_step: row[step] as u64,
        episodic_return: row[return_],
        success: or_nan(success, row),
        cost: or_nan(cost, row),
        cost_limit: or_nan(cost_limit, row),
        seconds: times.iter().map(|column| row[*column]).sum(),
    });
    Ok(rows.collect())
}

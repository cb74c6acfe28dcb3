//! Evaluation of policies: policies, episodes and statistics, rollouts with plots and films.

mod episodes_csv;
mod film_lines;
mod film_strip;
mod json;
mod named_policy;
mod paired;
mod patients;
mod rank_correlation;
mod rollout;
mod rollout_json;
mod rollout_plot;
mod run;
mod statistics;
mod table;

pub(crate) use episodes_csv::cell;
pub use episodes_csv::episodes_csv;
pub use film_strip::film_with_strip;
pub use json::{paired_difference_json, pooled_json, result_json, results_json};
pub use named_policy::{NamedPolicy, exported_policy, policy_path};
pub use paired::{PairedDifference, paired_difference};
pub use patients::{PatientFigures, patient_rows};
pub(crate) use rank_correlation::Ranked;
pub use rank_correlation::{RankCorrelation, rank_correlation};
pub use rollout::{ProbeSample, Rollout, RolloutStep, rollout};
pub use rollout_json::rollout_json;
pub use rollout_plot::rollout_plot;
pub use run::{EvaluationPlan, EvaluationResult, evaluate};
pub use statistics::{Estimate, known_mean, wilson};
pub use table::{paired_difference_table, rank_table, result_table};

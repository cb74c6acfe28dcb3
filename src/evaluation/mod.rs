//! Evaluation of policies: who acts, on which episodes, and what is made of the figures.

mod contestant;
mod episodes_csv;
mod json;
mod paired;
mod result;
mod rollout;
mod statistics;
mod table;

pub use contestant::{Contestant, POLICY_WORDS};
pub(crate) use episodes_csv::cell;
pub use episodes_csv::episodes_csv;
pub use json::{contract_keys, difference_json, pooled_json, result_json};
pub use paired::{Difference, difference};
pub use result::{EvaluationResult, Schedule, evaluate};
pub use rollout::{ProbeState, Rollout, RolloutStep, rollout};
pub use statistics::{Estimate, known_mean, wilson};
pub use table::{difference_table, result_table};

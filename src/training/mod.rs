//! Training of a policy in a folder: settings, a run with evaluations on the way, and what came of it.
//!
//! ```text
//! defaults ─► settings ─► plan ─► run ─► history ─► summary, learning curve
//! ```

mod defaults;
mod evaluations;
mod folder;
mod given;
mod history;
mod plan;
mod run;
mod seeds;
mod settings;
mod summary;

pub use defaults::ppo_defaults;
pub use evaluations::Evaluation;
pub use given::Given;
pub use history::{History, IterationRow};
pub use plan::{Plan, Start};
pub use run::{Event, Finished, train};
pub use seeds::{SeedsSummary, summarize_seeds};
pub use settings::{EvaluationSettings, TrainingSettings, resolve_env};
pub use summary::{Ending, Solved, TrainingSummary};

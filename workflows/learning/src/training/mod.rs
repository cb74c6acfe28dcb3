//! Training of a policy with output to a folder: settings, iterations with evaluations, and a summary.
//!
//! ```text
//! defaults ─► settings ─► plan ─► run ─► history ─► summary, learning curve
//! ```

mod defaults;
mod evaluations;
mod folder;
mod history;
mod learning_curve;
mod overrides;
mod plan;
mod run;
mod seeds;
mod settings;
mod start_mode;
mod summary;
mod table;

pub use defaults::{ppo_defaults, sac_defaults};
pub use evaluations::Evaluation;
pub use history::{History, IterationRow};
pub use learning_curve::learning_curve;
pub use overrides::Overrides;
pub use plan::Plan;
pub use run::{Event, TrainingResult, train};
pub use seeds::{SeedsSummary, summarize_seeds};
pub use settings::{EvaluationSettings, TrainingSettings};
pub use start_mode::StartMode;
pub use summary::{EvaluationSummary, Solved, StopReason, TrainingSummary};

pub use crate::task_settings::resolve_env;

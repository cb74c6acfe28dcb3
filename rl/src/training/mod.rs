//! Common parts of the training algorithms: setup, recent episodes, metrics, threads.

mod episodes;
mod progress;
mod start;
mod state;
mod thread_tuner;
mod threads;

pub use episodes::{EpisodeRecord, EpisodeWindow};
pub use progress::Progress;
use progress::{Counts, StepClock};
pub(crate) use progress::{episode_charts, episode_cost, episode_means};
pub(crate) use start::{check_counts, check_env, stream};
pub use state::TrainingState;
pub(crate) use state::{SAMPLES, SharedSettings, WEIGHTS};
pub(crate) use thread_tuner::ThreadTuner;
pub(crate) use threads::join;

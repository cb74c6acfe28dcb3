//! Common parts of the training algorithms: setup, recent episodes, metrics, threads.

mod episodes;
mod progress;
mod start;
mod thread_tuner;
mod threads;

pub use episodes::{EpisodeRecord, EpisodeWindow};
pub use progress::Progress;
pub(crate) use progress::{Counts, StepClock, episode_charts, episode_cost, episode_means};
pub(crate) use start::{check_env, check_ranges, stream};
pub(crate) use thread_tuner::ThreadTuner;
pub(crate) use threads::join;

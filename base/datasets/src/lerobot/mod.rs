//! LeRobot's data set, version 3.0 (<https://huggingface.co/docs/lerobot/lerobot-dataset-v3>).
//!
//! ```text
//! meta/info.json                              features with types and shapes, counts, rate
//! meta/stats.json                             least, greatest, mean, standard deviation of each feature
//! meta/tasks.parquet                          the task in words, in each wording
//! meta/episodes/chunk-000/file-000.parquet    where each episode lies
//! meta/insonate.json                          ours: DatasetInfo, seeds, kinds
//! data/chunk-000/file-000.parquet             one row for each step, one row group for each episode; pictures as PNG
//! ```
//!
//! The format does not store the observation after an episode's last step, nor MuJoCo's states.

mod column;
mod features;
mod groups;
mod meta;
mod open_h;
mod reader;
mod recording;
mod table;
mod writer;

pub(crate) use open_h::OpenHWriter;
pub(crate) use reader::read;
pub(crate) use recording::recording;
pub(crate) use writer::LeRobotWriter;

use serde::{Deserialize, Serialize};

use crate::{DatasetInfo, EpisodeKind};

const INFO: &str = "meta/info.json";
const STATS: &str = "meta/stats.json";
const TASKS: &str = "meta/tasks.parquet";
const EPISODES: &str = "meta/episodes/chunk-000/file-000.parquet";
const OURS: &str = "meta/insonate.json";

/// Version of the format.
const VERSION: &str = "v3.0";

/// Maximum number of files in a folder `chunk-…`.
const CHUNK_SIZE: usize = 1000;
/// Size of a data file above which a new one is started [MB].
const FILE_SIZE_MB: usize = 100;

const STATE: &str = "observation.state";
const ACTION: &str = "action";
const REWARD: &str = "next.reward";
const DONE: &str = "next.done";
const TRUNCATED: &str = "next.truncated";
const SUCCESS: &str = "next.success";

/// Data that the format cannot store.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ExtraInfo {
    #[serde(flatten)]
    info: DatasetInfo,
    /// Seed of each episode.
    seeds: Vec<u64>,
    /// Kind of each episode.
    #[serde(default)]
    kinds: Vec<EpisodeKind>,
    /// The task of each episode in words.
    #[serde(default)]
    instructions: Vec<String>,
}

/// The data file of an index.
fn data_file(index: usize) -> String {
    let (chunk, file) = (index / CHUNK_SIZE, index % CHUNK_SIZE);
    format!("data/chunk-{chunk:03}/file-{file:03}.parquet")
}

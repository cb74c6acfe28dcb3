//! Open-H's data set for robots in medicine: LeRobot's version 2.1 with videos, and features of ultrasound and force
//! (<https://github.com/open-h-embodiment/data-collection>).
//!
//! ```text
//! meta/info.json                      features with types and shapes, counts, rate, splits
//! meta/episodes.jsonl                 number of steps and task of each episode
//! meta/episodes_stats.jsonl           least, greatest, mean, standard deviation of each feature in each episode
//! meta/tasks.jsonl                    the task in words
//! meta/README.md                      what was recorded, how, and in which frames and units
//! meta/insonate.json                  ours: DatasetInfo, seeds
//! data/chunk-000/episode_000000.parquet
//! videos/chunk-000/<feature>/episode_000000.mp4
//! ```
//!
//! A row has the joints as `observation.state`, and as `action` the pose that the probe's face reaches in the step.
//! Videos are written by the program `ffmpeg`, an episode at a time.

mod features;
mod readme;
mod rows;
mod video;
mod writer;

pub(crate) use writer::OpenHWriter;

/// Version of LeRobot's format.
pub(super) const VERSION: &str = "v2.1";

/// Episodes in a folder `chunk-…`.
pub(super) const CHUNK_SIZE: usize = 1000;

const STATE: &str = "observation.state";
const ACTION: &str = "action";
const FORCE: &str = "observation.meta.force_torque";
const PROBE: &str = "observation.meta.probe_type";
const ACQUISITION: &str = "observation.meta.probe_acquisition_param";
const PROBE_POSE: &str = "observation.meta.prob_cali_mtx";
const CAMERA_POSE: &str = "observation.meta.tpv_cali_mtx";
const INSTRUCTION: &str = "instruction.text";
/// Ours: what the task observes, and the action in its own mode.
const TASK_OBSERVATION: &str = "observation.environment_state";
const TASK_ACTION: &str = "annotation.task_action";
const REWARD: &str = "next.reward";
const DONE: &str = "next.done";
const SUCCESS: &str = "next.success";

/// Name of a pose's numbers: position [m] and quaternion.
const POSE: [&str; 7] = ["tx", "ty", "tz", "qx", "qy", "qz", "qw"];

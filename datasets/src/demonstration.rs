//! What is recorded of an episode, and what all episodes of a data set share.

use serde::{Deserialize, Serialize};

/// What all demonstrations of a data set share.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DatasetInfo {
    /// The task's name, such as `probe-sweep`; empty where the file does not say.
    pub task: String,
    /// The task in words.
    pub description: String,
    /// Settings of the task, as TOML.
    pub settings: String,
    /// Who acted: `scripted`, a policy file, `keyboard` or `gamepad`.
    pub expert: String,
    /// Version of insonate that recorded it.
    pub insonate_version: String,
    /// Time between two steps [s].
    pub control_timestep: f64,
    /// Names of the observation's entries with their units, shape `[n_obs]`.
    pub observation_names: Vec<String>,
    /// Names of the action's entries with their units, shape `[n_actions]`.
    pub action_names: Vec<String>,
    /// Cameras that were recorded.
    pub cameras: Vec<CameraInfo>,
}

/// A camera that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameraInfo {
    /// Its name in the scene, such as `close` or `probe/camera`.
    pub name: String,
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
}

impl CameraInfo {
    /// Its name in files, where a slash has a meaning of its own.
    pub fn key(&self) -> String {
        self.name.replace('/', "_")
    }

    /// Bytes of a frame: red, green and blue of each pixel.
    pub fn frame_len(&self) -> usize {
        self.width as usize * self.height as usize * 3
    }
}

/// One recorded episode of n steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Demonstration {
    /// Seed of the episode; 0 where the file does not say.
    pub seed: u64,
    /// Observation before each step and after the last one, shape `[n + 1, n_obs]`; `[n, n_obs]` where a file lacks the last.
    pub observations: Vec<f32>,
    /// Shape `[n, n_actions]`.
    pub actions: Vec<f32>,
    /// Shape `[n]`.
    pub rewards: Vec<f32>,
    /// Whether the task ended the episode, so that what follows has no value; otherwise it was cut.
    pub is_terminated: bool,
    /// Whether it succeeded; none where the task does not say.
    pub is_success: Option<bool>,
    /// MuJoCo's time, qpos and qvel before each step, shape `[n, 1 + nq + nv]`; empty without a scene.
    pub states: Vec<f64>,
    /// Pictures of each camera before each step and after the last one, each of [`CameraInfo::frame_len`] bytes: rows from the top.
    pub frames: Vec<Vec<u8>>,
}

impl Demonstration {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.rewards.len()
    }

    /// Whether it has no step.
    pub fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }
}

/// Demonstrations with what they share.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dataset {
    /// What they share.
    pub info: DatasetInfo,
    /// Each episode, in order.
    pub demonstrations: Vec<Demonstration>,
}

//! Recorded episodes, and the information that all episodes of a data set share.

use serde::{Deserialize, Serialize};

/// Information that all demonstrations of a data set share.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DatasetInfo {
    /// Name of the task, such as `probe-sweep`; empty if the file has none.
    pub task: String,
    /// Description of the task in words.
    pub description: String,
    /// Settings of the task, as TOML.
    pub settings: String,
    /// Source of the actions: `scripted`, a policy file, `keyboard` or `gamepad`.
    pub expert: String,
    /// Version of insonate that recorded it.
    pub insonate_version: String,
    /// Time between two steps [s].
    pub control_timestep: f64,
    /// Names of the observation's entries with units, shape `[n_obs]`.
    pub observation_names: Vec<String>,
    /// Names of the action's entries with units, shape `[n_actions]`.
    pub action_names: Vec<String>,
    /// Recorded cameras; ultrasound is one of them.
    pub cameras: Vec<CameraInfo>,
    /// Numbers that are recorded with the observation, such as a wrench.
    #[serde(default)]
    pub signals: Vec<SignalInfo>,
    /// The arm with its probe; `None` for tasks without one.
    #[serde(default)]
    pub rig: Option<RigInfo>,
    /// Lag of the pictures behind the other numbers of their row [s].
    #[serde(default)]
    pub image_latency: f64,
    /// Share of pictures that were lost; a row holds the one before it instead.
    #[serde(default)]
    pub dropped_frames: f64,
    /// Standard deviation of noise on the executed actions, which the recorded ones lack, in half ranges.
    #[serde(default)]
    pub action_noise: f64,
}

/// What an episode shows. A data set holds the kinds in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpisodeKind {
    /// An expert from the start of an episode.
    #[default]
    Ordinary,
    /// An expert after a disturbance, which the episode does not hold.
    Recovery,
    /// An attempt that failed, and is kept as such.
    Failure,
}

impl EpisodeKind {
    /// Every kind with its name in files.
    pub const ALL: [(&'static str, Self); 3] = [
        ("ordinary", Self::Ordinary),
        ("recovery", Self::Recovery),
        ("failure", Self::Failure),
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// An arm with a probe, and a camera next to it.
///
/// Poses are position [m] and quaternion, `[tx, ty, tz, qx, qy, qz, qw]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigInfo {
    /// Name of the robot.
    pub robot: String,
    /// Name of the probe with the shape of its array, such as `c5-2_convex`.
    pub probe_type: String,
    /// Centre frequency [MHz], number of elements, imaging depth [cm], width of a linear field of view [mm], radius [mm] and angle
    /// [°] of a curved one; 0 where the array has none.
    pub acquisition: [f64; 6],
    /// Position of the robot's base in the world, whose axes it has [m].
    pub base_position: [f64; 3],
    /// Pose of the probe's face in the flange.
    pub flange_from_probe: [f64; 7],
    /// Pose of the first camera in the robot's base, with x right, y down and z into the picture; `None` if it moves.
    pub base_from_camera: Option<[f64; 7]>,
}

/// Numbers that are recorded with the observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalInfo {
    /// Name in files, such as `probe_wrench`.
    pub name: String,
    /// Names of the numbers with units.
    pub entries: Vec<String>,
}

/// A recorded camera.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameraInfo {
    /// Name in the scene, such as `close` or `probe/camera`.
    pub name: String,
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
}

impl CameraInfo {
    /// Name in files. Slashes are replaced, because they separate paths there.
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
    /// Seed of the episode; 0 if the file has none.
    pub seed: u64,
    /// What it shows.
    pub kind: EpisodeKind,
    /// The task in words; empty for [`DatasetInfo::description`].
    pub instruction: String,
    /// Observations before each step and after the last one, shape `[n + 1, n_obs]`; `[n, n_obs]` if the file lacks the
    /// last one.
    pub observations: Vec<f32>,
    /// Actions, shape `[n, n_actions]`.
    pub actions: Vec<f32>,
    /// Rewards, shape `[n]`.
    pub rewards: Vec<f32>,
    /// Whether the episode terminated, so that later states have no value; otherwise it was truncated.
    pub is_terminated: bool,
    /// Whether it succeeded; `None` if the task does not say.
    pub is_success: Option<bool>,
    /// MuJoCo's time, qpos and qvel before each step, shape `[n, 1 + nq + nv]`; empty without a scene.
    pub states: Vec<f64>,
    /// Images of each camera before each step and after the last one, each of [`CameraInfo::frame_len`] bytes: rows
    /// from the top.
    pub frames: Vec<Vec<u8>>,
    /// Numbers of each signal before each step and after the last one, shape `[n + 1, n_entries]`; `[n, n_entries]` if the file lacks
    /// the last ones.
    pub signals: Vec<Vec<f32>>,
}

impl Demonstration {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.rewards.len()
    }

    /// The task in words.
    pub fn instruction<'a>(&'a self, info: &'a DatasetInfo) -> &'a str {
        match self.instruction.as_str() {
            "" => &info.description,
            own => own,
        }
    }

    /// Whether the episode has no steps.
    pub fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }
}

/// Demonstrations with their shared information.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dataset {
    /// Shared information.
    pub info: DatasetInfo,
    /// Each episode, in order.
    pub demonstrations: Vec<Demonstration>,
}

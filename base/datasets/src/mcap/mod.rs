//! Logs as MCAP (<https://mcap.dev/spec>): JSON messages with Foxglove's schemas, readable by Foxglove, Lichtblick and
//! PyPI's `mcap`; or ROS 2's messages in CDR, readable by rosbag2, PlotJuggler and PyPI's `rosbags`.
//!
//! Times are simulation times from 0 [s]. Positions are in metres, rotations are quaternions.

mod base64;
mod cdr;
#[cfg(feature = "mcap")]
mod container;
#[cfg(not(feature = "mcap"))]
#[path = "no_container.rs"]
mod container;
mod ros2;
mod schemas;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use container::Container;
use schemas::Schema;

pub use container::LogError;

/// A pose for logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogPose {
    /// Position [m].
    pub position: [f64; 3],
    /// Rotation, wxyz.
    pub rotation: [f64; 4],
}

/// Messages of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// JSON with Foxglove's schemas.
    Foxglove,
    /// ROS 2's messages in CDR.
    Ros2,
}

impl Dialect {
    /// Every dialect with the name of its log.
    pub const ALL: [(&'static str, Self); 2] =
        [("log.mcap", Self::Foxglove), ("ros2.mcap", Self::Ros2)];
}

/// A log during writing, in memory.
pub struct McapLog {
    container: Container,
    dialect: Dialect,
    /// Channel id of each topic, and its number of messages.
    channels: HashMap<String, (u16, u32)>,
}

impl std::fmt::Debug for McapLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McapLog").finish_non_exhaustive()
    }
}

impl McapLog {
    /// A log without messages.
    ///
    /// # Errors
    /// [`LogError`]; always without the feature `mcap`.
    pub fn new(dialect: Dialect) -> Result<Self, LogError> {
        let profile = match dialect {
            Dialect::Foxglove => "",
            Dialect::Ros2 => "ros2",
        };
        Ok(Self {
            container: Container::new(profile)?,
            dialect,
            channels: HashMap::new(),
        })
    }

    /// Checks that this build can write logs, so that a program can say so before it simulates.
    ///
    /// # Errors
    /// [`LogError`] without the feature `mcap`.
    pub fn check_built() -> Result<(), LogError> {
        Self::new(Dialect::Foxglove).map(|_| ())
    }

    /// Adds the transform of a frame in its parent frame, as `foxglove.FrameTransform` or `tf2_msgs/msg/TFMessage` on `/tf`.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn transform(
        &mut self,
        time: f64,
        parent: &str,
        child: &str,
        pose: &LogPose,
    ) -> Result<(), LogError> {
        if self.dialect == Dialect::Ros2 {
            let message = ros2::tf(time, parent, child, pose);
            return self.add("/tf", ros2::TF, time, &message);
        }
        let message = json!({
            "timestamp": stamp(time),
            "parent_frame_id": parent,
            "child_frame_id": child,
            "translation": vector(pose.position),
            "rotation": quaternion(pose.rotation),
        });
        self.write("/tf", schemas::FRAME_TRANSFORM, time, &message)
    }

    /// Adds a pose, as `foxglove.PoseInFrame` or `geometry_msgs/msg/PoseStamped`.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn pose(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        pose: &LogPose,
    ) -> Result<(), LogError> {
        if self.dialect == Dialect::Ros2 {
            let message = ros2::pose(time, frame, pose);
            return self.add(topic, ros2::POSE, time, &message);
        }
        let message = json!({
            "timestamp": stamp(time),
            "frame_id": frame,
            "pose": {
                "position": vector(pose.position),
                "orientation": quaternion(pose.rotation),
            },
        });
        self.write(topic, schemas::POSE_IN_FRAME, time, &message)
    }

    /// Adds a force [N] and torque [N·m], as `insonate.Wrench`, since Foxglove has no such schema, or
    /// `geometry_msgs/msg/WrenchStamped`.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn wrench(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        force: [f64; 3],
        torque: [f64; 3],
    ) -> Result<(), LogError> {
        if self.dialect == Dialect::Ros2 {
            let message = ros2::wrench(time, frame, force, torque);
            return self.add(topic, ros2::WRENCH, time, &message);
        }
        let message = json!({
            "timestamp": stamp(time),
            "frame_id": frame,
            "force": vector(force),
            "torque": vector(torque),
        });
        self.write(topic, schemas::WRENCH, time, &message)
    }

    /// Adds an image as PNG or JPEG, as `foxglove.CompressedImage` or `sensor_msgs/msg/CompressedImage`, there on the topic with
    /// `/compressed` appended, as ROS 2's image transport names it.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn image(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        format: &str,
        file: &[u8],
    ) -> Result<(), LogError> {
        if self.dialect == Dialect::Ros2 {
            let message = ros2::compressed_image(time, frame, format, file);
            let topic = format!("{topic}/compressed");
            return self.add(&topic, ros2::COMPRESSED_IMAGE, time, &message);
        }
        let message = json!({
            "timestamp": stamp(time),
            "frame_id": frame,
            "data": base64::encode(file),
            "format": format,
        });
        self.write(topic, schemas::COMPRESSED_IMAGE, time, &message)
    }

    /// Adds positions [rad or m] and velocities [rad/s or m/s] of joints, as `foxglove.JointStates` or `sensor_msgs/msg/JointState` on
    /// `/joint_states`.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn joints(
        &mut self,
        time: f64,
        names: &[String],
        positions: &[f64],
        velocities: &[f64],
    ) -> Result<(), LogError> {
        const TOPIC: &str = "/joint_states";
        if self.dialect == Dialect::Ros2 {
            let message = ros2::joint_state(time, names, [positions, velocities]);
            return self.add(TOPIC, ros2::JOINT_STATE, time, &message);
        }
        let joints = names.iter().zip(positions).zip(velocities);
        let joints = joints.map(|((name, position), velocity)| {
            json!({ "name": name, "position": position, "velocity": velocity })
        });
        let joints: Vec<Value> = joints.collect();
        let message = json!({ "timestamp": stamp(time), "joints": joints });
        self.write(TOPIC, schemas::JOINT_STATES, time, &message)
    }

    /// Adds named texts, which belong to no time.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn metadata(
        &mut self,
        name: &str,
        values: BTreeMap<String, String>,
    ) -> Result<(), LogError> {
        self.container.add_metadata(name, values)
    }

    /// Adds named numbers, as `insonate.Sample`; ROS 2 has no such message, so its logs omit them.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn sample(
        &mut self,
        topic: &str,
        time: f64,
        values: serde_json::Map<String, Value>,
    ) -> Result<(), LogError> {
        if self.dialect == Dialect::Ros2 {
            return Ok(());
        }
        let mut message = serde_json::Map::new();
        message.insert("timestamp".to_owned(), stamp(time));
        message.extend(values);
        let message = Value::Object(message);
        self.write(topic, schemas::SAMPLE, time, &message)
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn finish(self) -> Result<Vec<u8>, LogError> {
        self.container.finish()
    }

    fn write(
        &mut self,
        topic: &str,
        schema: Schema,
        time: f64,
        message: &Value,
    ) -> Result<(), LogError> {
        self.add(topic, schema, time, message.to_string().as_bytes())
    }

    fn add(
        &mut self,
        topic: &str,
        schema: Schema,
        time: f64,
        message: &[u8],
    ) -> Result<(), LogError> {
        if !self.channels.contains_key(topic) {
            let encoding = match self.dialect {
                Dialect::Foxglove => "json",
                Dialect::Ros2 => "cdr",
            };
            let channel = self.container.add_channel(topic, schema, encoding)?;
            self.channels.insert(topic.to_owned(), (channel, 0));
        }
        let Some((channel_id, sequence)) = self.channels.get_mut(topic) else {
            return Ok(());
        };
        *sequence += 1;
        let place = (*channel_id, *sequence);
        self.container
            .add_message(place, nanoseconds(time), message)
    }
}

fn nanoseconds(time: f64) -> u64 {
    (time.max(0.0) * 1e9).round() as u64
}

fn stamp(time: f64) -> Value {
    let nanoseconds = nanoseconds(time);
    json!({ "sec": nanoseconds / 1_000_000_000, "nsec": nanoseconds % 1_000_000_000 })
}

fn vector([x, y, z]: [f64; 3]) -> Value {
    json!({ "x": x, "y": y, "z": z })
}

fn quaternion([w, x, y, z]: [f64; 4]) -> Value {
    json!({ "x": x, "y": y, "z": z, "w": w })
}

//! Logs as MCAP (<https://mcap.dev/spec>): JSON messages with Foxglove's schemas, readable by Foxglove, Lichtblick and
//! PyPI's `mcap`.
//!
//! Times are simulation times from 0 [s]. Positions are in metres, rotations are quaternions.

mod base64;
#[cfg(feature = "mcap")]
mod container;
#[cfg(not(feature = "mcap"))]
#[path = "no_container.rs"]
mod container;
mod schemas;

use std::collections::HashMap;

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

/// A log during writing, in memory.
pub struct McapLog {
    container: Container,
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
    pub fn new() -> Result<Self, LogError> {
        Ok(Self {
            container: Container::new()?,
            channels: HashMap::new(),
        })
    }

    /// Checks that this build can write logs, so that a program can say so before it simulates.
    ///
    /// # Errors
    /// [`LogError`] without the feature `mcap`.
    pub fn check_built() -> Result<(), LogError> {
        Self::new().map(|_| ())
    }

    /// Adds the transform of a frame in its parent frame, as `foxglove.FrameTransform` on `/tf`.
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
        let message = json!({
            "timestamp": stamp(time),
            "parent_frame_id": parent,
            "child_frame_id": child,
            "translation": vector(pose.position),
            "rotation": quaternion(pose.rotation),
        });
        self.write("/tf", schemas::FRAME_TRANSFORM, time, &message)
    }

    /// Adds a pose, as `foxglove.PoseInFrame`.
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

    /// Adds a force [N] and torque [N·m], as `insonate.Wrench`; Foxglove has no such schema.
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
        let message = json!({
            "timestamp": stamp(time),
            "frame_id": frame,
            "force": vector(force),
            "torque": vector(torque),
        });
        self.write(topic, schemas::WRENCH, time, &message)
    }

    /// Adds an image as PNG or JPEG, as `foxglove.CompressedImage`.
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
        let message = json!({
            "timestamp": stamp(time),
            "frame_id": frame,
            "data": base64::encode(file),
            "format": format,
        });
        self.write(topic, schemas::COMPRESSED_IMAGE, time, &message)
    }

    /// Adds named numbers, as `insonate.Sample`.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn sample(
        &mut self,
        topic: &str,
        time: f64,
        values: serde_json::Map<String, Value>,
    ) -> Result<(), LogError> {
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
        if !self.channels.contains_key(topic) {
            let channel = self.container.add_channel(topic, schema)?;
            self.channels.insert(topic.to_owned(), (channel, 0));
        }
        let Some((channel_id, sequence)) = self.channels.get_mut(topic) else {
            return Ok(());
        };
        *sequence += 1;
        let place = (*channel_id, *sequence);
        self.container
            .add_message(place, nanoseconds(time), &message.to_string())
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

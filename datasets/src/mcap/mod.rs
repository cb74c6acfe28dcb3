//! Logs as MCAP (<https://mcap.dev/spec>): JSON messages with Foxglove's schemas, readable by Foxglove, Lichtblick and
//! PyPI's `mcap`.
//!
//! Times are simulation times from 0 [s]. Positions are in metres, rotations are quaternions.

mod base64;
mod schemas;

use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;

use mcap::records::MessageHeader;
use mcap::{McapError, WriteOptions, Writer};
use serde_json::{Value, json};

use schemas::Schema;

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
    writer: Writer<Cursor<Vec<u8>>>,
    /// Channel id of each topic, and its number of messages.
    channels: HashMap<String, (u16, u32)>,
}

impl std::fmt::Debug for McapLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McapLog").finish_non_exhaustive()
    }
}

/// An error when a log is built.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the MCAP log: {0}")]
pub struct LogError(#[from] McapError);

impl McapLog {
    /// A log without messages.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn new() -> Result<Self, LogError> {
        let options = WriteOptions::new()
            .compression(None)
            .library(format!("insonate {}", env!("CARGO_PKG_VERSION")));
        Ok(Self {
            writer: options.create(Cursor::new(Vec::new()))?,
            channels: HashMap::new(),
        })
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
    pub fn finish(mut self) -> Result<Vec<u8>, LogError> {
        self.writer.finish()?;
        Ok(self.writer.into_inner().into_inner())
    }

    fn write(
        &mut self,
        topic: &str,
        schema: Schema,
        time: f64,
        message: &Value,
    ) -> Result<(), LogError> {
        if !self.channels.contains_key(topic) {
            let text = schema.text.as_bytes();
            let schema_id = self.writer.add_schema(schema.name, "jsonschema", text)?;
            let channel = self
                .writer
                .add_channel(schema_id, topic, "json", &BTreeMap::new())?;
            self.channels.insert(topic.to_owned(), (channel, 0));
        }
        let Some((channel_id, sequence)) = self.channels.get_mut(topic) else {
            return Ok(());
        };
        *sequence += 1;
        let nanoseconds = nanoseconds(time);
        let header = MessageHeader {
            channel_id: *channel_id,
            sequence: *sequence,
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        self.writer
            .write_to_known_channel(&header, message.to_string().as_bytes())?;
        Ok(())
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

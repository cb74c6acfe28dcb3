//! Messages of a scene, in one form for files and for clients that watch.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::schemas::{self, Schema};
use super::{Dialect, LogPose, base64, nanoseconds, ros2};

/// What takes messages.
pub trait MessageSink {
    /// Why it does not.
    type Error;

    /// Whether a message on a topic would be taken, so that a costly one is not made in vain.
    fn is_wanted(&self, _topic: &str) -> bool {
        true
    }

    /// Takes a message with its time [ns]; its encoding is that of the dialect.
    ///
    /// # Errors
    /// When it cannot.
    fn take(
        &mut self,
        topic: &str,
        schema: Schema,
        nanoseconds: u64,
        message: &[u8],
    ) -> Result<(), Self::Error>;

    /// Takes named texts, which belong to no time.
    ///
    /// # Errors
    /// When it cannot.
    fn metadata(
        &mut self,
        _name: &str,
        _values: BTreeMap<String, String>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Makes messages of a dialect for a sink.
#[derive(Debug)]
pub struct MessageWriter<S> {
    pub(super) sink: S,
    dialect: Dialect,
}

impl<S> MessageWriter<S> {
    pub(super) fn of(sink: S, dialect: Dialect) -> Self {
        Self { sink, dialect }
    }
}

impl<S: MessageSink> MessageWriter<S> {
    /// A writer of Foxglove's messages.
    pub fn foxglove(sink: S) -> Self {
        Self::of(sink, Dialect::Foxglove)
    }

    /// Whether a message on a topic would be taken.
    pub fn is_wanted(&self, topic: &str) -> bool {
        self.sink.is_wanted(topic)
    }

    /// Adds the transform of a frame in its parent frame, as `foxglove.FrameTransform` or `tf2_msgs/msg/TFMessage` on `/tf`.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn transform(
        &mut self,
        time: f64,
        parent: &str,
        child: &str,
        pose: &LogPose,
    ) -> Result<(), S::Error> {
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
    /// Errors of the sink.
    pub fn pose(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        pose: &LogPose,
    ) -> Result<(), S::Error> {
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
    /// Errors of the sink.
    pub fn wrench(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        force: [f64; 3],
        torque: [f64; 3],
    ) -> Result<(), S::Error> {
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
    /// Errors of the sink.
    pub fn image(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        format: &str,
        file: &[u8],
    ) -> Result<(), S::Error> {
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
    /// Errors of the sink.
    pub fn joints(
        &mut self,
        time: f64,
        names: &[String],
        positions: &[f64],
        velocities: &[f64],
    ) -> Result<(), S::Error> {
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
    /// Errors of the sink.
    pub fn metadata(
        &mut self,
        name: &str,
        values: BTreeMap<String, String>,
    ) -> Result<(), S::Error> {
        self.sink.metadata(name, values)
    }

    /// Adds named numbers, as `insonate.Sample`; ROS 2 has no such message, so its logs omit them.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn sample(
        &mut self,
        topic: &str,
        time: f64,
        values: serde_json::Map<String, Value>,
    ) -> Result<(), S::Error> {
        if self.dialect == Dialect::Ros2 {
            return Ok(());
        }
        let mut message = serde_json::Map::new();
        message.insert("timestamp".to_owned(), stamp(time));
        message.extend(values);
        let message = Value::Object(message);
        self.write(topic, schemas::SAMPLE, time, &message)
    }

    fn write(
        &mut self,
        topic: &str,
        schema: Schema,
        time: f64,
        message: &Value,
    ) -> Result<(), S::Error> {
        self.add(topic, schema, time, message.to_string().as_bytes())
    }

    fn add(
        &mut self,
        topic: &str,
        schema: Schema,
        time: f64,
        message: &[u8],
    ) -> Result<(), S::Error> {
        self.sink.take(topic, schema, nanoseconds(time), message)
    }
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

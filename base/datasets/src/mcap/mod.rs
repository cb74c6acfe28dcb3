//! Messages for viewers, as logs in MCAP (<https://mcap.dev/spec>) or live: JSON with Foxglove's schemas, readable by Foxglove, Lichtblick and
//! PyPI's `mcap`; or ROS 2's messages in CDR, readable by rosbag2, PlotJuggler and PyPI's `rosbags`.
//!
//! [`MessageWriter`] makes the messages, and a [`MessageSink`] takes them: a file in memory ([`McapLog`]), or clients of a server.
//! Positions are in metres, rotations are quaternions.

mod base64;
mod cdr;
#[cfg(feature = "mcap")]
mod container;
#[cfg(not(feature = "mcap"))]
#[path = "no_container.rs"]
mod container;
mod log;
mod messages;
mod ros2;
mod schemas;

pub use container::LogError;
pub use log::{McapFile, McapLog};
pub use messages::{MessageSink, MessageWriter};
pub use schemas::Schema;

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

/// Time of a message [ns].
fn nanoseconds(time: f64) -> u64 {
    (time.max(0.0) * 1e9).round() as u64
}

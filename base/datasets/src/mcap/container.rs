//! The container of a log: channels with their schemas, and messages.

use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::{MessageHeader, Metadata};
use mcap::{McapError, WriteOptions, Writer};

use super::schemas::Schema;

/// An error when a log is built.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the MCAP log: {0}")]
pub struct LogError(#[from] McapError);

/// A container during writing, in memory.
pub(super) struct Container(Writer<Cursor<Vec<u8>>>);

impl Container {
    /// `profile`: `ros2` if all messages are ROS 2's, else empty.
    pub(super) fn new(profile: &str) -> Result<Self, LogError> {
        let options = WriteOptions::new()
            .compression(None)
            .profile(profile)
            .library(format!("insonate {}", env!("CARGO_PKG_VERSION")));
        Ok(Self(options.create(Cursor::new(Vec::new()))?))
    }

    /// Adds a channel of messages in an encoding, `json` or `cdr`, and returns its number.
    pub(super) fn add_channel(
        &mut self,
        topic: &str,
        schema: Schema,
        encoding: &str,
    ) -> Result<u16, LogError> {
        let text = schema.text.as_bytes();
        let schema_id = self.0.add_schema(schema.name, schema.encoding, text)?;
        let metadata = BTreeMap::new();
        Ok(self.0.add_channel(schema_id, topic, encoding, &metadata)?)
    }

    /// Adds named texts, which belong to no time.
    pub(super) fn add_metadata(
        &mut self,
        name: &str,
        values: BTreeMap<String, String>,
    ) -> Result<(), LogError> {
        let metadata = Metadata {
            name: name.to_owned(),
            metadata: values,
        };
        Ok(self.0.write_metadata(&metadata)?)
    }

    /// Adds a message at its channel and its number there.
    pub(super) fn add_message(
        &mut self,
        (channel_id, sequence): (u16, u32),
        nanoseconds: u64,
        message: &[u8],
    ) -> Result<(), LogError> {
        let header = MessageHeader {
            channel_id,
            sequence,
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        Ok(self.0.write_to_known_channel(&header, message)?)
    }

    /// Returns the bytes of the file.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, LogError> {
        self.0.finish()?;
        Ok(self.0.into_inner().into_inner())
    }
}

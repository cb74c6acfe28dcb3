//! The container of a log: channels with their schemas, and messages.

use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::MessageHeader;
use mcap::{McapError, WriteOptions, Writer};

use super::schemas::Schema;

/// An error when a log is built.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the MCAP log: {0}")]
pub struct LogError(#[from] McapError);

/// A container during writing, in memory.
pub(super) struct Container(Writer<Cursor<Vec<u8>>>);

impl Container {
    pub(super) fn new() -> Result<Self, LogError> {
        let options = WriteOptions::new()
            .compression(None)
            .library(format!("insonate {}", env!("CARGO_PKG_VERSION")));
        Ok(Self(options.create(Cursor::new(Vec::new()))?))
    }

    /// Adds a channel of JSON messages, and returns its number.
    pub(super) fn add_channel(&mut self, topic: &str, schema: Schema) -> Result<u16, LogError> {
        let text = schema.text.as_bytes();
        let schema_id = self.0.add_schema(schema.name, "jsonschema", text)?;
        Ok(self
            .0
            .add_channel(schema_id, topic, "json", &BTreeMap::new())?)
    }

    /// Adds a message at its channel and its number there.
    pub(super) fn add_message(
        &mut self,
        (channel_id, sequence): (u16, u32),
        nanoseconds: u64,
        message: &str,
    ) -> Result<(), LogError> {
        let header = MessageHeader {
            channel_id,
            sequence,
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        Ok(self.0.write_to_known_channel(&header, message.as_bytes())?)
    }

    /// Returns the bytes of the file.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, LogError> {
        self.0.finish()?;
        Ok(self.0.into_inner().into_inner())
    }
}

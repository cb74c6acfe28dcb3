//! A log in MCAP during writing, in memory. Times are simulation times from 0 [s].

use std::collections::{BTreeMap, HashMap};

use super::Dialect;
use super::container::{Container, LogError};
use super::messages::{MessageSink, MessageWriter};
use super::schemas::Schema;

/// A log during writing, in memory.
pub type McapLog = MessageWriter<McapFile>;

/// The file of a log during writing.
pub struct McapFile {
    container: Container,
    /// Encoding of the messages.
    encoding: &'static str,
    /// Channel id of each topic, and its number of messages.
    channels: HashMap<String, (u16, u32)>,
}

impl std::fmt::Debug for McapFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McapFile").finish_non_exhaustive()
    }
}

impl McapLog {
    /// A log without messages.
    ///
    /// # Errors
    /// [`LogError`]; always without the feature `mcap`.
    pub fn new(dialect: Dialect) -> Result<Self, LogError> {
        let (profile, encoding) = match dialect {
            Dialect::Foxglove => ("", "json"),
            Dialect::Ros2 => ("ros2", "cdr"),
        };
        let file = McapFile {
            container: Container::new(profile)?,
            encoding,
            channels: HashMap::new(),
        };
        Ok(Self::of(file, dialect))
    }

    /// Checks that this build can write logs, so that a program can say so before it simulates.
    ///
    /// # Errors
    /// [`LogError`] without the feature `mcap`.
    pub fn check_built() -> Result<(), LogError> {
        Self::new(Dialect::Foxglove).map(|_| ())
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn finish(self) -> Result<Vec<u8>, LogError> {
        self.sink.container.finish()
    }
}

impl MessageSink for McapFile {
    type Error = LogError;

    fn take(
        &mut self,
        topic: &str,
        schema: Schema,
        nanoseconds: u64,
        message: &[u8],
    ) -> Result<(), LogError> {
        if !self.channels.contains_key(topic) {
            let channel = self.container.add_channel(topic, schema, self.encoding)?;
            self.channels.insert(topic.to_owned(), (channel, 0));
        }
        let Some((channel_id, sequence)) = self.channels.get_mut(topic) else {
            return Ok(());
        };
        *sequence += 1;
        let place = (*channel_id, *sequence);
        self.container.add_message(place, nanoseconds, message)
    }

    fn metadata(&mut self, name: &str, values: BTreeMap<String, String>) -> Result<(), LogError> {
        self.container.add_metadata(name, values)
    }
}

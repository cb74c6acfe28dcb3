//! MCAP (<https://mcap.dev/spec>), as recorded by ROS 2 and Foxglove: messages in CDR or JSON, compressed by zstd,
//! LZ4 or uncompressed.
//!
//! A file is read sequentially, record by record, so a truncated file yields the data that it contains.

use std::collections::HashMap;
use std::io::Read;

use mcap::McapError;
use mcap::records::Record;
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};

use super::bag::{self, Bag, Topic};
use super::recording::RecordingFile;
use super::source::{self, Hashing};
use super::{ReadOptions, guarded, refuse, refuse_at};
use crate::{Log, TableError};

/// Maximum size of a record [bytes].
const MAX_RECORD: usize = 256 << 20;
/// Maximum number of bytes read at once, regardless of the length stated in a record.
const MAX_READ: usize = 1 << 20;
/// Maximum number of channels.
const MAX_CHANNELS: usize = 4096;

/// Reads a log.
pub(super) fn read(file: &str, input: impl Read, options: &ReadOptions) -> Result<Log, TableError> {
    // The library (mcap 0.26) panics on chunks that are longer than stated.
    guarded(|| read_checked(file, input, options)).unwrap_or_else(|| {
        let problem = "is damaged in a way that the MCAP library cannot tell";
        Err(refuse(file, problem))
    })
}

/// Reads a log from the files of one recording.
pub(super) fn read_parts(
    file: &str,
    parts: &[RecordingFile],
    notes: Vec<String>,
    options: &ReadOptions,
) -> Result<Log, TableError> {
    guarded(|| read_parts_checked(file, parts, notes, options)).unwrap_or_else(|| {
        let problem = "is damaged in a way that the MCAP library cannot tell";
        Err(refuse(file, problem))
    })
}

fn read_parts_checked(
    file: &str,
    parts: &[RecordingFile],
    mut notes: Vec<String>,
    options: &ReadOptions,
) -> Result<Log, TableError> {
    let mut reading = McapReading::default();
    let mut hashing = None;
    for part in parts {
        let failed = |source| TableError::Read {
            file: part.name.clone(),
            source,
        };
        let mut input = part.open(hashing)?;
        let cut = if part.is_packed {
            let mut unpacked = part.unpacked(&mut input).map_err(failed)?;
            reading.all(&part.name, &mut unpacked)?
        } else {
            reading.all(&part.name, &mut input)?
        };
        notes.extend(cut.map(|cut| format!("{}: {cut}", part.name)));
        // Identifiers are local to a file; topics continue across files.
        reading.schemas.clear();
        reading.channels.clear();
        std::io::copy(&mut input, &mut std::io::sink()).map_err(failed)?;
        hashing = Some(input);
    }
    let bag = Bag {
        topics: reading.topics,
        others: reading.others,
        sha256: hashing.map_or_else(String::new, Hashing::finish),
        format: "mcap",
        notes,
    };
    bag::log(file, bag, options)
}

fn read_checked(file: &str, input: impl Read, options: &ReadOptions) -> Result<Log, TableError> {
    let mut reading = McapReading::default();
    let mut input = Hashing::new(input);
    let notes = reading.all(file, &mut input)?.into_iter().collect();
    let failed = |source| TableError::Read {
        file: file.to_owned(),
        source,
    };
    std::io::copy(&mut input, &mut std::io::sink()).map_err(failed)?;
    let bag = Bag {
        topics: reading.topics,
        others: reading.others,
        sha256: input.finish(),
        format: "mcap",
        notes,
    };
    bag::log(file, bag, options)
}

/// State of reading.
#[derive(Default)]
struct McapReading {
    topics: Vec<Topic>,
    others: Vec<String>,
    /// Names of schemas by identifier.
    schemas: HashMap<u16, String>,
    /// Topics by channel identifier; `None`: not used.
    channels: HashMap<u16, Option<usize>>,
    packed: u64,
    unpacked: u64,
}

impl McapReading {
    /// Reads all records; notes where the file was truncated.
    fn all(&mut self, file: &str, input: &mut impl Read) -> Result<Option<String>, TableError> {
        let options = LinearReaderOptions::default().with_record_length_limit(MAX_RECORD);
        let mut reader = LinearReader::new_with_options(options);
        while let Some(event) = reader.next_event() {
            match event {
                Ok(LinearReadEvent::ReadRequest(n)) => {
                    let n = input
                        .read(reader.insert(n.min(MAX_READ)))
                        .map_err(|source| TableError::Read {
                            file: file.to_owned(),
                            source,
                        })?;
                    self.packed += n as u64;
                    reader.notify_read(n);
                }
                Ok(LinearReadEvent::Record { opcode, data }) => {
                    self.unpacked += data.len() as u64;
                    source::unpacks_to(self.packed, self.unpacked)
                        .map_err(|problem| refuse(file, problem))?;
                    let record = mcap::parse_record(opcode, data).map_err(|error| {
                        refuse(file, format!("holds a damaged record: {error}"))
                    })?;
                    self.record(record).map_err(|(topic, problem)| {
                        refuse_at(file, format!(", topic {topic}"), problem)
                    })?;
                }
                Err(McapError::BadMagic) => {
                    return Err(refuse(file, "is not an MCAP file"));
                }
                Err(McapError::UnexpectedEof | McapError::UnexpectedEoc)
                    if self.topics.iter().any(Topic::has_messages) =>
                {
                    return Ok(Some(
                        "the file ends early: its recorder was broken off, and what it has was read"
                            .to_owned(),
                    ));
                }
                Err(error) => {
                    return Err(refuse(
                        file,
                        format!("cannot be read as MCAP ({error}): was it cut off?"),
                    ));
                }
            }
        }
        Ok(None)
    }

    /// Processes a record; an error names the topic and the problem with its messages.
    fn record(&mut self, record: Record<'_>) -> Result<(), (String, String)> {
        match record {
            Record::Schema { header, .. } if self.schemas.len() < MAX_CHANNELS => {
                self.schemas.insert(header.id, header.name);
            }
            Record::Channel(channel) => {
                if self.channels.contains_key(&channel.id) || self.channels.len() >= MAX_CHANNELS {
                    return Ok(());
                }
                let type_name = self.schemas.get(&channel.schema_id);
                let type_name = type_name.map_or("", String::as_str);
                // A topic that is announced twice is one topic.
                let known = self
                    .topics
                    .iter()
                    .position(|topic| topic.name() == channel.topic);
                let index = known.or_else(|| {
                    let topic = Topic::new(&channel.topic, type_name, &channel.message_encoding)?;
                    self.topics.push(topic);
                    Some(self.topics.len() - 1)
                });
                if index.is_none() {
                    let other = format!(
                        "{} ({type_name}, {})",
                        channel.topic, channel.message_encoding
                    );
                    if !self.others.contains(&other) {
                        self.others.push(other);
                    }
                }
                self.channels.insert(channel.id, index);
            }
            Record::Message { header, data } => {
                if let Some(Some(index)) = self.channels.get(&header.channel_id) {
                    let topic = &mut self.topics[*index];
                    let recorded = i64::try_from(header.log_time).unwrap_or(i64::MAX);
                    topic
                        .push(recorded, &data)
                        .map_err(|problem| (topic.name().to_owned(), problem))?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

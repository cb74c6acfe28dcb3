//! `rosbag2`'s SQLite files (`.db3`): a table of topics, and one of messages in CDR.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::bag::{self, Bag, Topic};
use super::recording::RecordingFile;
use super::source::{self, Hashing};
use super::{ReadOptions, refuse, refuse_at};
use crate::{Log, TableError};

/// Signature at the start of a file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Reads a log from a file.
pub(super) fn read(
    file: &str,
    path: &Path,
    input: impl io::Read,
    options: &ReadOptions,
) -> Result<Log, TableError> {
    let mut hashing = Hashing::new(input);
    check_whole(file, &mut hashing)?;
    let mut reading = SqliteReading::default();
    reading.add(file, &open(file, path)?)?;
    reading.log(file, hashing.finish(), Vec::new(), options)
}

/// Reads a log from the files of one bag.
pub(super) fn read_parts(
    file: &str,
    parts: &[RecordingFile],
    notes: Vec<String>,
    options: &ReadOptions,
) -> Result<Log, TableError> {
    let mut reading = SqliteReading::default();
    let mut hashing = None;
    for part in parts {
        let mut input = part.open(hashing)?;
        if part.is_packed {
            let bytes = part.unpack(&mut input)?;
            io::copy(&mut input, &mut io::sink()).map_err(|source| failed(&part.name, source))?;
            check_whole(&part.name, bytes.as_slice())?;
            reading.add(&part.name, &in_memory(&part.name, &bytes)?)?;
        } else {
            check_whole(&part.name, &mut input)?;
            reading.add(&part.name, &open(&part.name, &part.path)?)?;
        }
        hashing = Some(input);
    }
    let sha256 = hashing.map_or_else(String::new, Hashing::finish);
    reading.log(file, sha256, notes, options)
}

/// Reads a log from memory.
pub(super) fn read_bytes(
    file: &str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Log, TableError> {
    let mut hashing = Hashing::new(bytes);
    check_whole(file, &mut hashing)?;
    let mut reading = SqliteReading::default();
    reading.add(file, &in_memory(file, bytes)?)?;
    reading.log(file, hashing.finish(), Vec::new(), options)
}

fn open(file: &str, path: &Path) -> Result<Connection, TableError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| damaged(file, &error))
}

fn in_memory(file: &str, bytes: &[u8]) -> Result<Connection, TableError> {
    let mut database = Connection::open_in_memory().map_err(|error| damaged(file, &error))?;
    database
        .deserialize_read_exact("main", bytes, bytes.len(), true)
        .map_err(|error| damaged(file, &error))?;
    Ok(database)
}

fn failed(file: &str, source: io::Error) -> TableError {
    TableError::Read {
        file: file.to_owned(),
        source,
    }
}

/// Reads a file to its end and checks that it starts with the SQLite signature.
fn check_whole(file: &str, mut input: impl io::Read) -> Result<(), TableError> {
    let mut head = [0; MAGIC.len()];
    let is_sqlite = input.read_exact(&mut head).is_ok() && head == *MAGIC;
    if !is_sqlite {
        let what = source::looks_like(&head).unwrap_or("something else");
        return Err(refuse(file, format!("is not an SQLite file but {what}")));
    }
    io::copy(&mut input, &mut io::sink()).map_err(|source| failed(file, source))?;
    Ok(())
}

fn damaged(file: &str, error: &rusqlite::Error) -> TableError {
    refuse(
        file,
        format!("cannot be read as a bag of ROS 2 ({error}): was it cut off?"),
    )
}

/// State of reading.
#[derive(Default)]
struct SqliteReading {
    topics: Vec<Topic>,
    others: Vec<String>,
}

impl SqliteReading {
    fn log(
        self,
        file: &str,
        sha256: String,
        notes: Vec<String>,
        options: &ReadOptions,
    ) -> Result<Log, TableError> {
        let bag = Bag {
            topics: self.topics,
            others: self.others,
            sha256,
            format: "db3",
            notes,
        };
        bag::log(file, bag, options)
    }

    /// Adds the messages of a file.
    fn add(&mut self, file: &str, database: &Connection) -> Result<(), TableError> {
        let damaged = |error: rusqlite::Error| damaged(file, &error);
        // Code in the schema of an untrusted file must not be executed.
        database
            .execute_batch(
                "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON;",
            )
            .map_err(damaged)?;
        let n_tables: i64 = database
            .query_row(
                "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('topics', 'messages') AND sql NOT LIKE '%VIRTUAL%'",
                [],
                |row| row.get(0),
            )
            .map_err(damaged)?;
        if n_tables != 2 {
            return Err(refuse(
                file,
                "has no tables topics and messages, as rosbag2's files do",
            ));
        }
        let mut indices: HashMap<i64, usize> = HashMap::new();
        let mut statement = database
            .prepare("SELECT id, name, type, serialization_format FROM topics")
            .map_err(damaged)?;
        let mut rows = statement.query([]).map_err(damaged)?;
        while let Some(row) = rows.next().map_err(damaged)? {
            let text = |column: usize| row.get::<_, String>(column);
            let id: i64 = row.get(0).map_err(damaged)?;
            let (name, type_name) = (text(1).map_err(damaged)?, text(2).map_err(damaged)?);
            // The files of a split bag have the same topics.
            let known = self.topics.iter().position(|topic| topic.name() == name);
            if let Some(known) = known {
                indices.insert(id, known);
                continue;
            }
            if let Some(topic) = Topic::new(&name, &type_name, &text(3).map_err(damaged)?) {
                indices.insert(id, self.topics.len());
                self.topics.push(topic);
                continue;
            }
            let other = format!("{name} ({type_name})");
            if !self.others.contains(&other) {
                self.others.push(other);
            }
        }
        let mut statement = database
            .prepare("SELECT topic_id, timestamp, data FROM messages")
            .map_err(damaged)?;
        let mut rows = statement.query([]).map_err(damaged)?;
        while let Some(row) = rows.next().map_err(damaged)? {
            let id: i64 = row.get(0).map_err(damaged)?;
            let Some(index) = indices.get(&id) else {
                continue;
            };
            let topic = &mut self.topics[*index];
            let recorded = row.get(1).map_err(damaged)?;
            let data = row.get_ref(2).map_err(damaged)?;
            let data = data
                .as_blob()
                .map_err(|_| refuse(file, "holds a message that is no blob"))?;
            topic
                .push(recorded, data)
                .map_err(|problem| refuse_at(file, format!(", topic {}", topic.name()), problem))?;
        }
        Ok(())
    }
}

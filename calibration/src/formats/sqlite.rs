//! `rosbag2`'s SQLite files (`.db3`): a table of topics, and one of messages in CDR.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::bag::{self, Bag, Topic};
use super::source::{self, Hashing};
use super::{ReadOptions, refuse, refuse_at};
use crate::{CalibrationError, Log};

/// First bytes of a file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Reads a log from a file.
pub(super) fn read(
    file: &str,
    path: &Path,
    input: impl std::io::Read,
    options: &ReadOptions,
) -> Result<Log, CalibrationError> {
    let sha256 = hash(file, input)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database =
        Connection::open_with_flags(path, flags).map_err(|error| damaged(file, &error))?;
    log(file, &database, sha256, options)
}

/// Reads a log from memory.
pub(super) fn read_bytes(
    file: &str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Log, CalibrationError> {
    let sha256 = hash(file, bytes)?;
    let mut database = Connection::open_in_memory().map_err(|error| damaged(file, &error))?;
    database
        .deserialize_read_exact("main", bytes, bytes.len(), true)
        .map_err(|error| damaged(file, &error))?;
    log(file, &database, sha256, options)
}

fn hash(file: &str, input: impl std::io::Read) -> Result<String, CalibrationError> {
    let failed = |source| CalibrationError::Read {
        file: file.to_owned(),
        source,
    };
    let mut input = Hashing::new(input);
    let mut head = [0; MAGIC.len()];
    let is_sqlite = std::io::Read::read_exact(&mut input, &mut head).is_ok() && head == *MAGIC;
    if !is_sqlite {
        let what = source::looks_like(&head).unwrap_or("something else");
        return Err(refuse(file, format!("is not an SQLite file but {what}")));
    }
    std::io::copy(&mut input, &mut std::io::sink()).map_err(failed)?;
    Ok(input.finish())
}

fn damaged(file: &str, error: &rusqlite::Error) -> CalibrationError {
    refuse(
        file,
        format!("cannot be read as a bag of ROS 2 ({error}): was it cut off?"),
    )
}

fn log(
    file: &str,
    database: &Connection,
    sha256: String,
    options: &ReadOptions,
) -> Result<Log, CalibrationError> {
    let damaged = |error: rusqlite::Error| damaged(file, &error);
    // What a stranger's schema defines is not executed.
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
    let (mut topics, mut others) = (Vec::new(), Vec::new());
    let mut indices: HashMap<i64, usize> = HashMap::new();
    let mut statement = database
        .prepare("SELECT id, name, type, serialization_format FROM topics")
        .map_err(damaged)?;
    let mut rows = statement.query([]).map_err(damaged)?;
    while let Some(row) = rows.next().map_err(damaged)? {
        let text = |column: usize| row.get::<_, String>(column);
        let id: i64 = row.get(0).map_err(damaged)?;
        let (name, type_name) = (text(1).map_err(damaged)?, text(2).map_err(damaged)?);
        match Topic::new(&name, &type_name, &text(3).map_err(damaged)?) {
            Some(topic) => {
                indices.insert(id, topics.len());
                topics.push(topic);
            }
            None => others.push(format!("{name} ({type_name})")),
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
        let topic = &mut topics[*index];
        let recorded = row.get(1).map_err(damaged)?;
        let data = row.get_ref(2).map_err(damaged)?;
        let data = data
            .as_blob()
            .map_err(|_| refuse(file, "holds a message that is no blob"))?;
        topic
            .push(recorded, data)
            .map_err(|problem| refuse_at(file, format!(", topic {}", topic.name()), problem))?;
    }
    let bag = Bag {
        topics,
        others,
        sha256,
        format: "db3",
        notes: Vec::new(),
    };
    bag::log(file, bag, options)
}

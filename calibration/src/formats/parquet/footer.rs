//! The end of a Parquet file, checked before the library reads it: lengths, nesting and counts of the schema.

use std::io::Read;

use parquet::file::reader::ChunkReader;

use super::compact::{Compact, Result, STRUCT};
use crate::formats::source;

/// Longest footer [bytes]: it describes columns, not samples.
const MAX_FOOTER: u64 = 8 << 20;

/// Most nodes of a schema, and its deepest nesting.
const MAX_NODES: usize = 4096;
const MAX_DEPTH: usize = 16;

/// Magic, footer length, magic.
const LEAST: u64 = 12;

/// Refuses files whose footer claims what cannot be.
pub(super) fn check(input: &impl ChunkReader) -> Result<()> {
    let size = input.len();
    let head = bytes(input, 0, size.min(4096))?;
    if !head.starts_with(b"PAR1") {
        return Err(if head.starts_with(b"PARE") {
            "is encrypted: decrypt it first".to_owned()
        } else {
            let what = source::looks_like(&head).unwrap_or("something else");
            format!("is not a Parquet file but {what}")
        });
    }
    let cut = || format!("is cut off: its {size} bytes do not end as a Parquet file does");
    if size < LEAST {
        return Err(cut());
    }
    let tail = bytes(input, size - 8, 8)?;
    let Some(length) = tail
        .strip_suffix(b"PAR1")
        .and_then(|length| length.try_into().ok())
        .map(u32::from_le_bytes)
        .map(u64::from)
    else {
        return Err(cut());
    };
    if length > size - LEAST {
        return Err(format!(
            "says that its footer has {length} bytes, in a file of {size}"
        ));
    }
    if length > MAX_FOOTER {
        return Err(format!(
            "has a footer of {length} bytes, above the {MAX_FOOTER} of a log"
        ));
    }
    let footer = bytes(input, size - 8 - length, length)?;
    walk(&footer).map_err(|problem| format!("its footer {problem}"))
}

fn bytes(input: &impl ChunkReader, start: u64, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length as usize);
    input
        .get_read(start)
        .map_err(|error| error.to_string())?
        .take(length)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err("became shorter while it was read".to_owned())
    }
}

/// `FileMetaData`: field 2 is the schema, all else only has to be well formed.
fn walk(footer: &[u8]) -> Result<()> {
    Compact::new(footer).structure(|file, number, kind| match number {
        2 => schema(file),
        _ => file.skip(kind),
    })
}

/// A flat list of nodes, each with its number of children, parents first.
fn schema(file: &mut Compact<'_>) -> Result<()> {
    let (kind, n) = file.list()?;
    if kind != STRUCT || n > MAX_NODES {
        return Err(format!(
            "has a schema of {n} nodes; at most {MAX_NODES} are read"
        ));
    }
    // Children that are still to come, level by level.
    let mut open: Vec<usize> = Vec::new();
    for at in 0..n {
        if at > 0 {
            while open.last() == Some(&0) {
                open.pop();
            }
            let last = open.last_mut().ok_or("has more columns than its schema")?;
            *last -= 1;
        }
        let mut children = 0;
        file.structure(|node, number, kind| match number {
            5 => {
                children = node.integer(kind)?;
                Ok(())
            }
            _ => node.skip(kind),
        })?;
        let children = usize::try_from(children)
            .ok()
            .filter(|children| *children < n)
            .ok_or("has a schema with more children than nodes")?;
        open.push(children);
        if open.len() > MAX_DEPTH {
            return Err("has a schema that is nested too deeply".to_owned());
        }
    }
    if open.iter().any(|left| *left > 0) {
        return Err("has a schema that ends too early".to_owned());
    }
    Ok(())
}

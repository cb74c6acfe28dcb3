//! Text logs: numbers separated by commas, semicolons, tabs or spaces, with or without a header.
//!
//! The table is the block of rows of numbers; notes report the text before and after it.
//! The file is read in one pass: bytes are hashed, split into cells, and only the wanted cells are parsed.
//! Rows are counted like lines in an editor: blank and comment lines count, so that a message points at the line.

use std::io::{self, Read};

use super::plan::Request;
use super::source::{self, Hashing};
use super::units::{Dimension, Unit};
use super::{assemble, refuse, refuse_at};
use crate::TableError;

mod cells;
mod dialect;
mod encoding;
mod guarded;
mod rows;
mod table;

use dialect::Dialect;
use encoding::{Decoded, Utf16};
use guarded::Guarded;

/// Number of bytes from which the notation of a file is detected.
const HEAD: usize = 1 << 16;

/// Reads the wanted columns of a text.
pub(super) fn read(
    file: &str,
    input: impl Read,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let mut hashing = Hashing::new(input);
    let read = table(file, &mut hashing, request)?;
    io::copy(&mut hashing, &mut io::sink()).map_err(|source| failure(file, source, 0))?;
    Ok(assemble::Read {
        sha256: hashing.finish(),
        ..read
    })
}

/// Whether a text has rows of numbers among its first lines.
#[cfg(feature = "spreadsheets")]
pub(super) fn has_table(text: &[u8]) -> bool {
    let head = &text[..text.len().min(HEAD)];
    table::find(&table::lines(head, head.len() < text.len())).is_some()
}

/// Reads the table of a text; the hash is left empty.
pub(super) fn table(
    file: &str,
    mut input: impl Read,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let failed = |source: io::Error| failure(file, source, 0);
    let mut mark = Vec::with_capacity(2);
    (&mut input)
        .take(2)
        .read_to_end(&mut mark)
        .map_err(failed)?;
    let little_endian = match mark[..] {
        [0xff, 0xfe] => Some(true),
        [0xfe, 0xff] => Some(false),
        _ => None,
    };
    if little_endian.is_some() {
        mark.clear();
    }
    let input = io::Cursor::new(mark).chain(input);
    let mut text = match little_endian {
        Some(little_endian) => Decoded::Utf16(Utf16::new(input, little_endian)),
        None => Decoded::Bytes(input),
    };
    let mut head = Vec::with_capacity(HEAD);
    (&mut text)
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(failed)?;
    if let Some(what) = source::looks_like(&head) {
        return Err(refuse(file, format!("is not text but {what}")));
    }
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let dialect = Dialect::of(file, start, head.len() == HEAD)?;
    let mut plan = request.plan(file, &dialect.fields)?;
    let guarded = Guarded::new(start[dialect.start..].chain(text), dialect.lines as u64);
    let rows = rows::read(file, guarded, &dialect, &plan)?;
    let mut notes = dialect.notes;
    notes.extend(rows.notes);
    if let Some(time) = plan.time.filter(|_| rows.has_clock) {
        let pick = &mut plan.picks[time];
        pick.unit = Some(Unit::si(Dimension::Time));
        pick.unit_assumed = false;
        plan.columns[0] = format!("time: {} [clock → s]", pick.label);
        notes.push("times are those of a clock, counted from the first row".to_owned());
    }
    Ok(assemble::Read {
        plan,
        series: rows.series,
        notes,
        sha256: String::new(),
        format: "csv",
        has_episode: false,
    })
}

fn failure(file: &str, source: io::Error, line: u64) -> TableError {
    // Errors without a code of the operating system come from this crate.
    if source.raw_os_error().is_none() && source.kind() == io::ErrorKind::Other {
        let place = if line > 0 {
            format!(", after row {line}")
        } else {
            String::new()
        };
        return refuse_at(file, place, source.to_string());
    }
    TableError::Read {
        file: file.to_owned(),
        source,
    }
}

//! Text logs: numbers between commas, semicolons, tabs or spaces, with or without a header.
//!
//! One pass: bytes are hashed, cut into cells, and only the wanted cells become numbers.
//! Rows are counted as an editor counts lines: blank and comment lines count, so that a message points at the line.

use std::io::{self, Read};

use csv::ByteRecord;

use super::plan::Plan;
use super::source::{self, Hashing};
use super::{MAX_SAMPLES, ReadOptions, assemble, number, refuse, refuse_at};
use crate::{CalibrationError, Log};

mod dialect;

use dialect::{Delimiter, Dialect};

/// Bytes looked at to find out how a file is written.
const HEAD: usize = 1 << 16;

/// Longest row [bytes].
const MAX_ROW: usize = 1 << 20;

/// Reads a log from text.
pub(super) fn read(
    file: &str,
    input: impl Read,
    options: &ReadOptions,
) -> Result<Log, CalibrationError> {
    let mut hashing = Hashing::new(input);
    let mut head = Vec::with_capacity(HEAD);
    let failed = |source: io::Error| failure(file, source, 0);
    (&mut hashing)
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(failed)?;
    if let Some(what) = source::looks_like(&head) {
        return Err(refuse(file, format!("is not text but {what}")));
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let dialect = Dialect::of(file, text, head.len() == HEAD)?;
    let plan = Plan::new(file, &dialect.fields, options)?;
    let guarded = Guarded::new(text.chain(&mut hashing));
    let series = rows(file, guarded, &dialect, &plan)?;
    io::copy(&mut hashing, &mut io::sink()).map_err(|source| failure(file, source, 0))?;
    let read = assemble::Read {
        plan,
        series,
        notes: dialect.comments,
        sha256: hashing.finish(),
        format: "csv",
    };
    assemble::log(file, read, options)
}

fn failure(file: &str, source: io::Error, line: u64) -> CalibrationError {
    // Errors without a code of the operating system are our own.
    if source.raw_os_error().is_none() && source.kind() == io::ErrorKind::Other {
        let place = if line > 0 {
            format!(", after row {line}")
        } else {
            String::new()
        };
        return refuse_at(file, place, source.to_string());
    }
    CalibrationError::Read {
        file: file.to_owned(),
        source,
    }
}

/// Ends with an error where no row ends for long: a quotation mark that is never closed would take all memory.
/// Also knows in which line a byte is.
struct Guarded<R> {
    inner: R,
    /// Bytes handed out since the last row; the one who takes rows sets it back.
    starved: usize,
    /// What was handed out last.
    chunk: Vec<u8>,
    /// Bytes before it.
    start: u64,
    /// Line ends before it.
    lines: u64,
}

impl<R> Guarded<R> {
    fn new(inner: R) -> Self {
        Self {
            inner,
            starved: 0,
            chunk: Vec::new(),
            start: 0,
            lines: 0,
        }
    }

    /// The line, from 1, of the row that ends before a byte of the last chunk.
    fn line_before(&self, byte: u64) -> u64 {
        let end = usize::try_from(byte.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let row = &self.chunk[..end.min(self.chunk.len())];
        self.lines + line_ends(row.strip_suffix(b"\n").unwrap_or(row)) + 1
    }
}

/// In blocks that a byte can count, which compilers turn into vector instructions.
fn line_ends(bytes: &[u8]) -> u64 {
    bytes
        .chunks(255)
        .map(|block| {
            u64::from(
                block
                    .iter()
                    .map(|&byte| u8::from(byte == b'\n'))
                    .sum::<u8>(),
            )
        })
        .sum()
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.starved > MAX_ROW {
            return Err(io::Error::other(
                "a row is longer than 1 MiB: is a quotation mark left open, or the file no text?",
            ));
        }
        let n = self.inner.read(buffer)?;
        if n > 0 {
            self.lines += line_ends(&self.chunk);
            self.start += self.chunk.len() as u64;
            self.chunk.clear();
            self.chunk.extend_from_slice(&buffer[..n]);
            self.starved += n;
        }
        Ok(n)
    }
}

/// The wanted numbers of all rows.
fn rows(
    file: &str,
    input: Guarded<impl Read>,
    dialect: &Dialect,
    plan: &Plan,
) -> Result<Vec<Vec<f64>>, CalibrationError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(dialect.delimiter.byte())
        .comment(Some(b'#'))
        .buffer_capacity(1 << 17)
        .from_reader(input);
    let mut record = ByteRecord::new();
    let mut series = vec![Vec::new(); plan.picks.len()];
    let mut header = dialect.has_header;
    let spaces = dialect.delimiter == Delimiter::Spaces;
    let width = dialect.fields.len();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => reader.get_mut().starved = 0,
            Ok(false) => return Ok(series),
            Err(error) => {
                let line = reader.position().line();
                return Err(failure(file, io::Error::from(error), line));
            }
        }
        if spaces {
            record = record.iter().filter(|cell| !cell.is_empty()).collect();
        }
        if record.len() != width && blank(&record) {
            continue;
        }
        if std::mem::take(&mut header) {
            continue;
        }
        let row = Row {
            file,
            line: || reader.get_ref().line_before(reader.position().byte()),
            cells: &record,
        };
        if record.len() != width {
            return Err(row.ragged(dialect));
        }
        if series[0].len() == MAX_SAMPLES {
            return Err(refuse(
                file,
                format!("has more than {MAX_SAMPLES} rows: split the recording"),
            ));
        }
        for (pick, values) in plan.picks.iter().zip(&mut series) {
            let cell = &record[pick.field];
            let value = if dialect.decimal_comma {
                number::parse_with_comma(cell)
            } else {
                number::parse(cell)
            };
            match value {
                Some(value) if value.is_finite() => values.push(value),
                value => return Err(row.bad_cell(&pick.label, cell, value)),
            }
        }
    }
}

fn blank(record: &ByteRecord) -> bool {
    record.len() <= 1 && record.iter().all(|cell| cell.trim_ascii().is_empty())
}

/// A row that something is wrong with.
struct Row<'a, F> {
    file: &'a str,
    line: F,
    cells: &'a ByteRecord,
}

impl<F: Fn() -> u64> Row<'_, F> {
    fn ragged(&self, dialect: &Dialect) -> CalibrationError {
        let (n, width) = (self.cells.len(), dialect.fields.len());
        let first = if dialect.has_header {
            "the header"
        } else {
            "the first row"
        };
        let advice = if dialect.delimiter == Delimiter::Comma && n == 2 * width {
            "; if its numbers have decimal commas, save it with points"
        } else if n < width {
            "; if the recording was cut off there, delete the row"
        } else {
            ""
        };
        refuse_at(
            self.file,
            format!(", row {}", (self.line)()),
            format!("has {n} cells where {first} has {width}{advice}"),
        )
    }

    fn bad_cell(&self, label: &str, cell: &[u8], value: Option<f64>) -> CalibrationError {
        let shown: String = String::from_utf8_lossy(cell).chars().take(40).collect();
        let problem = if value.is_some() {
            format!("\"{shown}\" is not finite: cut the log before it, or delete the row")
        } else if cell.trim_ascii().is_empty() {
            "the cell is empty: delete the row, or fill it".to_owned()
        } else if number::has_decimal_comma(cell) {
            format!(
                "\"{shown}\" has a decimal comma, and the rows before have none: write all numbers alike"
            )
        } else if number::parse(cell).is_some() {
            format!(
                "\"{shown}\" has a decimal point, and other numbers have commas: write all alike"
            )
        } else {
            format!("\"{shown}\" is not a number")
        };
        refuse_at(
            self.file,
            format!(", row {}, {label}", (self.line)()),
            problem,
        )
    }
}

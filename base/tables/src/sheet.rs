//! Spreadsheets (XLSX): the first sheet with rows of numbers is converted to tab-separated text and read like a text
//! log.
//!
//! Cells are streamed: a sheet that claims a cell in its last corner uses no memory. The unpacked size of the archive
//! is measured first.

use std::fmt::Write as _;
use std::io::{self, Read, Seek};

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use zip::ZipArchive;

use super::plan::Request;
use super::source::{self, Hashing};
use super::{assemble, csv, guarded, refuse};
use crate::TableError;

/// Maximum unpacked size of an archive's texts and styles [bytes]; they are held in memory completely.
const MAX_TEXTS: u64 = 64 << 20;
/// Maximum size of a table as text [bytes]: a million rows of twenty numbers.
const MAX_TABLE: usize = 400 << 20;
/// Maximum number of columns, as for a text.
pub(super) const MAX_COLUMNS: u32 = 4096;
/// Maximum number of files in an archive.
const MAX_MEMBERS: usize = 4096;

/// Reads a log from a spreadsheet.
pub(super) fn read(
    file: &str,
    mut input: impl Read + Seek,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let sha256 = hash(file, "XLSX", &mut input, |name| {
        name.starts_with(b"xl/worksheets/")
    })?;
    let found = guarded(|| table(file, input));
    let (name, text) =
        found.unwrap_or_else(|| Err(refuse(file, "is damaged: its reader gave up")))?;
    let mut read = csv::table(file, text.as_bytes(), request)?;
    read.notes.insert(0, format!("the sheet is \"{name}\""));
    Ok(assemble::Read {
        sha256,
        format: "xlsx",
        ..read
    })
}

/// The SHA-256 of an archive whose sizes [`check_sizes`] accepts; the input is then at its start.
pub(super) fn hash(
    file: &str,
    kind: &str,
    input: &mut (impl Read + Seek),
    is_sheet: impl Fn(&[u8]) -> bool,
) -> Result<String, TableError> {
    let failed = |source| TableError::Read {
        file: file.to_owned(),
        source,
    };
    let mut hashing = Hashing::new(input.by_ref());
    io::copy(&mut hashing, &mut io::sink()).map_err(failed)?;
    let sha256 = hashing.finish();
    input.rewind().map_err(failed)?;
    check_sizes(file, kind, input.by_ref(), is_sheet)?;
    input.rewind().map_err(failed)?;
    Ok(sha256)
}

/// Unpacks every file of the archive once and discards the output, because the sizes stated in it may be wrong.
/// `kind` is the format's name, and `is_sheet` says whether a file of this name holds cells, which
/// are streamed.
fn check_sizes(
    file: &str,
    kind: &str,
    input: impl Read + Seek,
    is_sheet: impl Fn(&[u8]) -> bool,
) -> Result<(), TableError> {
    let mut archive = ZipArchive::new(input)
        .map_err(|error| refuse(file, format!("is not an {kind} spreadsheet: {error}")))?;
    if archive.len() > MAX_MEMBERS {
        let n = archive.len();
        return Err(refuse(
            file,
            format!("holds {n} files, above the {MAX_MEMBERS} of a spreadsheet"),
        ));
    }
    for index in 0..archive.len() {
        let cannot = |problem: String| {
            let number = index + 1;
            refuse(file, format!("its file number {number} {problem}"))
        };
        let mut entry = archive
            .by_index(index)
            .map_err(|error| cannot(format!("cannot be unpacked: {error}")))?;
        let (size, packed) = (entry.size(), entry.compressed_size());
        if !is_sheet(entry.name_raw()) && size > MAX_TEXTS {
            return Err(cannot(format!(
                "would unpack to {size} bytes, above the {MAX_TEXTS} that are read: save the log as CSV"
            )));
        }
        source::unpacks_to(packed, size).map_err(&cannot)?;
        let unpacked = io::copy(&mut entry.by_ref().take(size + 1), &mut io::sink())
            .map_err(|error| cannot(format!("cannot be unpacked: {error}")))?;
        if unpacked != size {
            return Err(cannot(format!(
                "does not unpack to the {size} bytes it states"
            )));
        }
    }
    Ok(())
}

/// Name and text of the first sheet with a table.
fn table(file: &str, input: impl Read + Seek) -> Result<(String, String), TableError> {
    let damaged = |error: calamine::XlsxError| refuse(file, format!("cannot be read: {error}"));
    let mut book: Xlsx<_> = Xlsx::new(input).map_err(damaged)?;
    for name in book.sheet_names() {
        // A chart sheet has no cells.
        let Ok(mut cells) = book.worksheet_cells_reader(&name) else {
            continue;
        };
        let mut text = Text::default();
        while let Some(cell) = cells.next_cell().map_err(damaged)? {
            text.push(cell.get_position(), cell.get_value())
                .map_err(|problem| refuse(file, format!("its sheet \"{name}\" {problem}")))?;
        }
        let text = text.finish();
        if csv::has_table(text.as_bytes()) {
            return Ok((name, text));
        }
    }
    Err(refuse(file, "has no sheet with rows of numbers"))
}

/// Cells as tab-separated text.
#[derive(Default)]
pub(super) struct Text {
    written: String,
    /// End of each row, and its number of cells.
    rows: Vec<(usize, u32)>,
    /// Current row, and its number of cells so far.
    row: u32,
    cells: u32,
}

impl Text {
    pub(super) fn push(
        &mut self,
        (row, column): (u32, u32),
        value: &DataRef<'_>,
    ) -> Result<(), String> {
        if column >= MAX_COLUMNS {
            return Err(format!(
                "has more than {MAX_COLUMNS} columns, more than a log may have"
            ));
        }
        if row < self.row || (row == self.row && self.cells > column) {
            return Err("has cells that are out of order".to_owned());
        }
        while self.row < row {
            self.end_row();
        }
        while self.cells <= column {
            if self.cells > 0 {
                self.written.push('\t');
            }
            self.cells += 1;
        }
        // Writing to a string cannot fail.
        let _ = match value {
            DataRef::Empty | DataRef::Error(_) => Ok(()),
            DataRef::Int(value) => write!(self.written, "{value}"),
            DataRef::Float(value) => write!(self.written, "{value}"),
            DataRef::Bool(value) => write!(self.written, "{}", u8::from(*value)),
            DataRef::DateTime(time) => write!(self.written, "{}", clock(*time)),
            DataRef::String(words) | DataRef::DateTimeIso(words) | DataRef::DurationIso(words) => {
                self.words(words);
                Ok(())
            }
            DataRef::SharedString(words) => {
                self.words(words);
                Ok(())
            }
        };
        if self.written.len() > MAX_TABLE {
            return Err(format!(
                "has more than {MAX_TABLE} bytes of text: split the recording"
            ));
        }
        Ok(())
    }

    /// Appends text without characters that would end the cell.
    fn words(&mut self, words: &str) {
        let plain = words.chars().map(|character| match character {
            '"' => '\'',
            character if character.is_control() => ' ',
            character => character,
        });
        self.written.extend(plain);
    }

    fn end_row(&mut self) {
        self.rows.push((self.written.len(), self.cells));
        self.row += 1;
        self.cells = 0;
    }

    /// All rows with cells, padded to the longest.
    pub(super) fn finish(mut self) -> String {
        self.end_row();
        let width = self.rows.iter().map(|(_, cells)| *cells).max().unwrap_or(0);
        let mut whole = String::with_capacity(self.written.len() + self.rows.len());
        let mut start = 0;
        for (end, cells) in self.rows {
            whole.push_str(&self.written[start..end]);
            start = end;
            if cells > 0 && whole.len() <= MAX_TABLE {
                (cells..width).for_each(|_| whole.push('\t'));
            }
            whole.push('\n');
        }
        whole
    }
}

/// A time of a sheet, in days since its epoch, in the notation of [`super::clock`].
fn clock(time: ExcelDateTime) -> String {
    let days = time.as_f64();
    // Days since 1900 have eleven decimals in a double: microseconds.
    let microseconds = (days * 86_400e6).round();
    if !(0.0..8.6e15).contains(&microseconds) {
        return String::new();
    }
    let microseconds = microseconds as u64;
    let seconds = microseconds / 1_000_000;
    format!(
        "{} days {}:{:02}:{:02}.{:06}",
        seconds / 86_400,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
        microseconds % 1_000_000
    )
}

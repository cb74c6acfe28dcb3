//! Spreadsheets of LibreOffice (ODS): the first sheet with rows of numbers is converted to text and read like a text
//! log, as for [`super::sheet`].
//!
//! Format: OASIS Open Document Format 1.3, part 3, chapters 9 and 19. A cell and a row may state how often they
//! repeat; repetitions count towards the limits of a table before they are written.

use std::io::{BufRead, BufReader, Read, Seek};

use calamine::DataRef;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::plan::Request;
use super::sheet::{self, MAX_COLUMNS, Text};
use super::{assemble, csv, refuse};
use crate::TableError;

/// The file with the sheets.
const CONTENT: &str = "content.xml";
/// Maximum number of rows of a sheet, as in LibreOffice.
const MAX_ROWS: u64 = 1 << 20;
/// Maximum length of a cell's text [bytes]; the rest is cut.
const MAX_WORDS: usize = 4096;

/// Reads a log from a spreadsheet.
pub(super) fn read(
    file: &str,
    mut input: impl Read + Seek,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let sha256 = sheet::hash(file, "ODS", &mut input, |name| name == CONTENT.as_bytes())?;
    let damaged =
        |error: zip::result::ZipError| refuse(file, format!("is not an ODS spreadsheet: {error}"));
    let mut archive = ZipArchive::new(input).map_err(damaged)?;
    let content = archive.by_name(CONTENT).map_err(damaged)?;
    let mut sheets = Sheets::new(BufReader::new(content));
    while let Some(found) = sheets.next().map_err(|problem| refuse(file, problem))? {
        let (name, text) = found;
        if !csv::has_table(text.as_bytes()) {
            continue;
        }
        let mut read = csv::table(file, text.as_bytes(), request)?;
        read.notes.insert(0, format!("the sheet is \"{name}\""));
        return Ok(assemble::Read {
            sha256,
            format: "ods",
            ..read
        });
    }
    Err(refuse(file, "has no sheet with rows of numbers"))
}

/// A cell that is being read.
#[derive(Default)]
struct Cell {
    /// How often it repeats.
    times: u64,
    /// Its value, if an attribute gives it.
    value: Option<Value>,
    /// Its text.
    words: String,
}

#[derive(Clone)]
enum Value {
    Number(f64),
    Words(String),
}

/// The sheets of a file, one after the other.
struct Sheets<R> {
    reader: Reader<R>,
    buffer: Vec<u8>,
    name: String,
    text: Text,
    /// Next row, and how often the current one repeats.
    row: u64,
    row_times: u64,
    /// Next column, and the cells with values in this row, each with its first column and its number of columns.
    column: u64,
    cells: Vec<(u64, u64, Value)>,
    cell: Option<Cell>,
    /// Depth of notes, whose text is not that of the cell.
    notes: usize,
}

impl<R: BufRead> Sheets<R> {
    fn new(input: R) -> Self {
        let mut reader = Reader::from_reader(input);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        Self {
            reader,
            buffer: Vec::new(),
            name: String::new(),
            text: Text::default(),
            row: 0,
            row_times: 1,
            column: 0,
            cells: Vec::new(),
            cell: None,
            notes: 0,
        }
    }

    /// Name and text of the next sheet; `None` at the end.
    fn next(&mut self) -> Result<Option<(String, String)>, String> {
        let mut buffer = std::mem::take(&mut self.buffer);
        loop {
            buffer.clear();
            let damaged = |error: &dyn std::fmt::Display| {
                format!("cannot be read: its {CONTENT} is damaged or encrypted ({error})")
            };
            let event = self
                .reader
                .read_event_into(&mut buffer)
                .map_err(|error| damaged(&error))?;
            match event {
                Event::Start(element) => self.start(&element).map_err(|error| damaged(&error))?,
                Event::Text(text) if self.notes == 0 => {
                    self.add_words(&text.xml10_content());
                }
                Event::GeneralRef(reference) if self.notes == 0 => {
                    let character = reference
                        .resolve_char_ref()
                        .map_err(|error| damaged(&error))?;
                    let named = quick_xml::escape::resolve_predefined_entity(&reference);
                    let words = character.map(String::from).or(named.map(str::to_owned));
                    self.add_words(&words.unwrap_or_default());
                }
                Event::End(element) => match element.name().as_ref() {
                    "table:table-cell" | "table:covered-table-cell" => self.end_cell(),
                    "table:table-row" => self.end_row()?,
                    "office:annotation" => self.notes = self.notes.saturating_sub(1),
                    "table:table" => {
                        self.buffer = buffer;
                        let text = std::mem::take(&mut self.text).finish();
                        return Ok(Some((std::mem::take(&mut self.name), text)));
                    }
                    _ => {}
                },
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), quick_xml::Error> {
        let number = |name: &str| -> Result<u64, quick_xml::Error> {
            let found = element.try_get_attribute(name)?;
            // What is no number counts once, as without it.
            Ok(found
                .and_then(|times| times.value.parse().ok())
                .unwrap_or(1))
        };
        match element.name().as_ref() {
            "table:table" => {
                self.text = Text::default();
                (self.row, self.column) = (0, 0);
                self.cells.clear();
                let name = element.try_get_attribute("table:name")?;
                self.name =
                    name.map_or_else(String::new, |name| name.value.chars().take(60).collect());
            }
            "table:table-row" => {
                self.row_times = number("table:number-rows-repeated")?;
                self.column = 0;
                self.cells.clear();
            }
            "table:table-cell" | "table:covered-table-cell" => {
                self.cell = Some(Cell {
                    times: number("table:number-columns-repeated")?,
                    value: value(element)?,
                    words: String::new(),
                });
            }
            "office:annotation" => self.notes += 1,
            "text:s" | "text:tab" | "text:line-break" | "text:p" if self.notes == 0 => {
                let is_first = self.cell.as_ref().is_some_and(|cell| cell.words.is_empty());
                if !is_first {
                    self.add_words(" ");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_words(&mut self, words: &str) {
        if let Some(cell) = &mut self.cell
            && cell.words.len() < MAX_WORDS
        {
            cell.words.extend(words.chars().take(MAX_WORDS));
        }
    }

    fn end_cell(&mut self) {
        let Some(cell) = self.cell.take() else {
            return;
        };
        let words = cell.words.trim();
        let text = (!words.is_empty()).then(|| Value::Words(words.to_owned()));
        if let Some(value) = cell.value.or(text) {
            self.cells.push((self.column, cell.times, value));
        }
        self.column = self.column.saturating_add(cell.times);
    }

    /// Writes the row as often as it repeats.
    fn end_row(&mut self) -> Result<(), String> {
        let (first, times) = (self.row, self.row_times);
        self.row = self.row.saturating_add(times);
        if self.cells.is_empty() {
            return Ok(());
        }
        let problem = |what: String| format!("its sheet \"{}\" {what}", self.name);
        if self.row > MAX_ROWS {
            return Err(problem(format!(
                "has more than {MAX_ROWS} rows: split the recording"
            )));
        }
        for row in first..self.row {
            for (column, times, value) in &self.cells {
                let end = column.saturating_add(*times);
                // A column too many is refused by the text.
                let column = *column.min(&u64::from(MAX_COLUMNS));
                for column in column..end.min(u64::from(MAX_COLUMNS) + 1) {
                    let value = match value {
                        Value::Number(number) => DataRef::Float(*number),
                        Value::Words(words) => DataRef::String(words.clone()),
                    };
                    self.text
                        .push((row as u32, column as u32), &value)
                        .map_err(problem)?;
                }
            }
        }
        Ok(())
    }
}

/// The value in the attributes of a cell; texts are in its contents.
fn value(element: &BytesStart<'_>) -> Result<Option<Value>, quick_xml::Error> {
    for name in [
        "office:value",
        "office:date-value",
        "office:time-value",
        "office:string-value",
    ] {
        let Some(found) = element.try_get_attribute(name)? else {
            continue;
        };
        let text = found.normalized_value(quick_xml::XmlVersion::Implicit1_0)?;
        return Ok(Some(match (name, text.parse::<f64>()) {
            ("office:value", Ok(number)) => Value::Number(number),
            ("office:time-value", _) => {
                Value::Words(clock(&text).unwrap_or_else(|| text.into_owned()))
            }
            _ => Value::Words(text.chars().take(MAX_WORDS).collect()),
        }));
    }
    Ok(None)
}

/// `PT10H11M12.5S` (ISO 8601, as ODS writes it) as `10:11:12.5`, with as many hours as there are.
fn clock(text: &str) -> Option<String> {
    let rest = text.strip_prefix("PT")?;
    let (hours, rest) = rest.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?;
    let hours: u32 = hours.parse().ok()?;
    Some(format!(
        "{} days {:02}:{minutes:0>2}:{seconds:0>2}",
        hours / 24,
        hours % 24
    ))
}

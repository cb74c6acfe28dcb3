//! Rows of a table, as numbers.

use std::io::{self, Read};

use csv::ByteRecord;

use super::cells::{Delimiter, Kind, Shape};
use super::dialect::{Dialect, MAX_SHOWN, MAX_WORDS, span};
use super::encoding::words;
use super::failure;
use super::guarded::Guarded;
use crate::clock::{self, Count};
use crate::plan::Plan;
use crate::{MAX_SAMPLES, TableError, number, refuse, refuse_at};

/// Contents of the rows.
pub(super) struct Rows {
    /// One series for each pick of the plan, NaN for a cell without a value.
    pub(super) series: Vec<Vec<f64>>,
    /// Whether times were in clock notation.
    pub(super) has_clock: bool,
    pub(super) notes: Vec<String>,
}

/// Text after the table: why its first line is not a row, and its contents.
struct Trailer {
    error: TableError,
    first: u64,
    last: u64,
    shown: Vec<String>,
    lines: usize,
}

/// Reads the wanted numbers of all rows.
pub(super) fn read(
    file: &str,
    input: Guarded<impl Read>,
    dialect: &Dialect,
    plan: &Plan,
) -> Result<Rows, TableError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(dialect.delimiter.byte())
        .comment(Some(b'#'))
        .buffer_capacity(1 << 17)
        .from_reader(input);
    let mut record = ByteRecord::new();
    let mut cells = Cells {
        dialect,
        plan,
        count: Count::default(),
        grouped: false,
    };
    let mut series = vec![Vec::new(); plan.picks.len()];
    let mut trailer: Option<Trailer> = None;
    let spaces = dialect.delimiter == Delimiter::Spaces;
    let width = dialect.fields.len();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => reader.get_mut().starved = 0,
            Ok(false) => break,
            Err(error) => {
                let line = dialect.lines as u64 + reader.position().line();
                return Err(failure(file, io::Error::from(error), line));
            }
        }
        if spaces {
            record = record.iter().filter(|cell| !cell.is_empty()).collect();
        }
        if record.len() != width && blank(&record) {
            continue;
        }
        let n = series[0].len();
        let failed = if record.len() == width {
            if n == MAX_SAMPLES {
                return Err(refuse(
                    file,
                    format!("has more than {MAX_SAMPLES} rows: split the recording"),
                ));
            }
            cells.push(&record, &mut series).err()
        } else {
            Some(RowError::Ragged)
        };
        let Some(failed) = failed else {
            match trailer {
                // The table continues after its apparent end.
                Some(trailer) if series[0].len() > n => return Err(trailer.error),
                _ => continue,
            }
        };
        for values in &mut series {
            values.truncate(n);
        }
        let line = reader.get_ref().line_before(reader.position().byte());
        let is_text = cells.is_text(&record);
        match &mut trailer {
            None if is_text && n > 0 => {
                trailer = Some(Trailer {
                    error: cells.error(file, line, &record, &failed),
                    first: line,
                    last: line,
                    shown: vec![shown(&record)],
                    lines: 1,
                });
            }
            None => return Err(cells.error(file, line, &record, &failed)),
            Some(trailer) if is_text || record.len() != width => {
                trailer.last = line;
                trailer.lines += 1;
                if trailer.shown.len() < MAX_SHOWN {
                    trailer.shown.push(shown(&record));
                }
            }
            Some(_) => {
                return Err(trailer
                    .take()
                    .map_or_else(|| refuse(file, ""), |end| end.error));
            }
        }
    }
    finish(file, &cells, series, trailer)
}

/// Adds notes about the rows, and refuses times in two notations.
fn finish(
    file: &str,
    cells: &Cells<'_>,
    series: Vec<Vec<f64>>,
    trailer: Option<Trailer>,
) -> Result<Rows, TableError> {
    let plan = cells.plan;
    let has_clock = cells.count.met() > 0;
    if let Some(time) = plan.time.filter(|_| has_clock) {
        let times = series[time].iter().filter(|time| time.is_finite()).count();
        if times != cells.count.met() {
            let label = &plan.picks[time].label;
            return Err(refuse_at(
                file,
                format!(", {label}"),
                "has clock times and numbers: write all times alike",
            ));
        }
    }
    let mut notes = Vec::new();
    if cells.grouped {
        notes.push("thousands in numbers are set apart".to_owned());
    }
    if let Some(end) = trailer {
        let more = if end.lines > end.shown.len() {
            ", …"
        } else {
            ""
        };
        notes.push(format!(
            "{} after the table {} not read: {}{more}",
            span(end.first as usize, end.last as usize),
            if end.first == end.last { "is" } else { "are" },
            end.shown.join(", "),
        ));
    }
    Ok(Rows {
        series,
        has_clock,
        notes,
    })
}

fn blank(record: &ByteRecord) -> bool {
    record.len() <= 1 && record.iter().all(|cell| cell.trim_ascii().is_empty())
}

fn shown(record: &ByteRecord) -> String {
    let cells = record
        .iter()
        .map(|cell| words(cell.trim_ascii(), MAX_WORDS));
    let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
    format!("\"{}\"", words(cells.join(" ").as_bytes(), MAX_WORDS))
}

/// Why a row does not belong to the table.
enum RowError {
    Ragged,
    /// The cell of this pick is invalid.
    Cell(usize),
}

/// Converts cells to numbers.
struct Cells<'a> {
    dialect: &'a Dialect,
    plan: &'a Plan,
    count: Count,
    /// Whether a number had thousands separators.
    grouped: bool,
}

impl Cells<'_> {
    /// Adds a row, unless none of its wanted cells has a value.
    fn push(&mut self, record: &ByteRecord, series: &mut [Vec<f64>]) -> Result<(), RowError> {
        let mut missing = 0;
        for (index, (pick, values)) in self.plan.picks.iter().zip(&mut *series).enumerate() {
            let cell = &record[pick.field];
            match self.plainly(cell) {
                Some(value) if value.is_finite() => values.push(value),
                value => {
                    let value = self.otherwise(index, cell, value);
                    let value = value.ok_or(RowError::Cell(index))?;
                    missing += usize::from(value.is_nan());
                    values.push(value);
                }
            }
        }
        if missing == series.len() {
            for values in series {
                values.pop();
            }
        }
        Ok(())
    }

    fn plainly(&self, cell: &[u8]) -> Option<f64> {
        if self.dialect.decimal_comma {
            number::parse_with_comma(cell)
        } else {
            number::parse(cell)
        }
    }

    /// Handles cells without a value, clock times, and numbers with thousands separators.
    fn otherwise(&mut self, pick: usize, cell: &[u8], value: Option<f64>) -> Option<f64> {
        if value.is_some_and(f64::is_nan) || number::is_missing(cell) {
            return Some(f64::NAN);
        }
        if self.plan.time == Some(pick)
            && let Some(clock) = clock::parse(cell)
        {
            return self.count.seconds(clock);
        }
        let (comma, sure) = (
            self.dialect.decimal_comma,
            self.dialect.mark_is_sure && !self.dialect.decimal_comma,
        );
        let value = number::parse_grouped(cell, comma, sure).filter(|value| value.is_finite());
        self.grouped |= value.is_some();
        value
    }

    /// Whether a line is text rather than an invalid row of the table.
    fn is_text(&self, record: &ByteRecord) -> bool {
        let shape = Shape::of(record);
        if shape.texts == 0 {
            return false;
        }
        let leading = if record.len() == self.dialect.fields.len() {
            let leading = self.plan.time.map_or(0, |time| self.plan.picks[time].field);
            record.get(leading)
        } else {
            record.iter().find(|cell| !cell.trim_ascii().is_empty())
        };
        let words = leading.is_some_and(|cell| Kind::of(cell) != Kind::Value);
        words && (shape.values < 2 || record.len() != self.dialect.fields.len())
    }

    fn error(&self, file: &str, line: u64, record: &ByteRecord, failed: &RowError) -> TableError {
        match failed {
            RowError::Ragged => self.ragged(file, line, record.len()),
            RowError::Cell(pick) => {
                let pick = &self.plan.picks[*pick];
                refuse_at(
                    file,
                    format!(", row {line}, {}", pick.label),
                    self.bad_cell(&record[pick.field]),
                )
            }
        }
    }

    fn ragged(&self, file: &str, line: u64, n: usize) -> TableError {
        let width = self.dialect.fields.len();
        let first = if self.dialect.has_header {
            "the header"
        } else {
            "the first row"
        };
        let advice = if self.dialect.delimiter == Delimiter::Comma && n == 2 * width {
            "; if its numbers have decimal commas, save it with points"
        } else if n < width {
            "; if the recording was cut off there, delete the row"
        } else {
            ""
        };
        refuse_at(
            file,
            format!(", row {line}"),
            format!("has {n} cells where {first} has {width}{advice}"),
        )
    }

    fn bad_cell(&self, cell: &[u8]) -> String {
        let shown = words(cell, 40);
        if self.plainly(cell).is_some() {
            format!("\"{shown}\" is not finite: cut the log before it, or delete the row")
        } else if clock::parse(cell).is_some() {
            format!(
                "\"{shown}\" is a clock time unlike those before: write all times alike, and only times so"
            )
        } else if number::has_decimal_comma(cell) {
            format!(
                "\"{shown}\" has a decimal comma, and the rows before have none: write all numbers alike"
            )
        } else if number::parse(cell).is_some() {
            format!(
                "\"{shown}\" has a decimal point, and other numbers have commas: write all alike"
            )
        } else {
            format!("\"{shown}\" is not a number: if the row is no part of the table, delete it")
        }
    }
}

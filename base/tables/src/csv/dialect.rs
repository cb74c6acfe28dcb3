//! Notation of a text log: delimiter, header, units, comments.

use super::cells::{Delimiter, Kind};
use super::encoding::words;
use super::table::{self, Heading, Line, Table};
use crate::plan::Field;
use crate::{TableError, names, number, refuse, refuse_at};

/// Notation of a file.
pub(super) struct Dialect {
    pub(super) delimiter: Delimiter,
    /// Whether numbers have a decimal comma, as in `0,002`.
    pub(super) decimal_comma: bool,
    /// Whether numbers at the start determine the decimal mark.
    pub(super) mark_is_sure: bool,
    /// Whether there are names above the rows.
    pub(super) has_header: bool,
    /// Start of the rows in the text [bytes].
    pub(super) start: usize,
    /// Number of lines before the rows.
    pub(super) lines: usize,
    /// Columns.
    pub(super) fields: Vec<Field>,
    /// Text above the rows, and properties detected in it.
    pub(super) notes: Vec<String>,
}

/// Maximum number of comment lines in the notes.
const MAX_COMMENTS: usize = 8;

/// Maximum number of lines before or after a table shown in a note, and of characters of each.
pub(super) const MAX_SHOWN: usize = 3;
pub(super) const MAX_WORDS: usize = 60;

/// Maximum number of columns of a file.
const MAX_COLUMNS: usize = 4096;

impl Dialect {
    /// Detects the notation from the first lines; `cut`: the last one is incomplete.
    pub(super) fn of(file: &str, head: &[u8], cut: bool) -> Result<Self, TableError> {
        let lines = table::lines(head, cut);
        let table = match table::find(&lines) {
            Some(table) => table,
            None => without_rows(file, &lines)?,
        };
        let names = match &table.heading.names {
            Some((at, names)) => Some(named(file, &lines[*at], names, &table.heading)?),
            None => None,
        };
        let width = names.as_ref().map_or(table.width, Vec::len);
        if width > MAX_COLUMNS {
            return Err(refuse(
                file,
                format!("has {width} columns, above the {MAX_COLUMNS} that a log may have"),
            ));
        }
        let mut notes = comments(&lines, &table.heading);
        notes.extend(skipped(&lines, &table));
        let marks = Marks::of(&lines, &table);
        let decimal_comma = marks.decimal_comma(file, table.delimiter)?;
        if decimal_comma {
            notes.push("numbers have decimal commas".to_owned());
        }
        let first = lines.get(table.first);
        Ok(Self {
            delimiter: table.delimiter,
            decimal_comma,
            mark_is_sure: if decimal_comma {
                marks.comma
            } else {
                marks.point
            },
            has_header: names.is_some(),
            start: first.map_or(head.len(), |line| line.start),
            lines: first.map_or(lines.len(), |line| line.number - 1),
            fields: match names {
                Some(names) => names
                    .into_iter()
                    .map(|name| Field::scalar(Some(name)))
                    .collect(),
                None => vec![Field::scalar(None); width],
            },
            notes,
        })
    }
}

/// The table that a text without rows of numbers would have, from its header, for messages.
fn without_rows(file: &str, lines: &[Line<'_>]) -> Result<Table, TableError> {
    let first = lines
        .iter()
        .position(|line| !line.is_blank() && !line.is_comment());
    let Some(first) = first else {
        return Err(refuse(file, "has no rows, only blank or comment lines"));
    };
    let text = lines[first].text;
    let several = |delimiter: &Delimiter| delimiter.split(text).len() > 1;
    let delimiter = Delimiter::ALL
        .into_iter()
        .find(several)
        .unwrap_or(Delimiter::Comma);
    let cells = delimiter.split(text);
    let has_names = cells.iter().any(|cell| Kind::of(cell) == Kind::Text);
    Ok(Table {
        delimiter,
        first: first + usize::from(has_names),
        width: cells.len(),
        heading: Heading {
            names: has_names.then_some((first, cells)),
            units: None,
        },
    })
}

/// Names with the units below them, as if the units were appended.
fn named(
    file: &str,
    line: &Line<'_>,
    cells: &[Vec<u8>],
    heading: &Heading,
) -> Result<Vec<String>, TableError> {
    let units = heading.units.as_ref().map_or(&[][..], |(_, units)| units);
    let mut names = Vec::with_capacity(cells.len());
    for (column, cell) in cells.iter().enumerate() {
        let name = words(cell, 200);
        let unit = units
            .get(column)
            .map_or_else(String::new, |unit| words(unit, 40));
        let unit = table::bracketless(&unit);
        names.push(match names::without_brackets(&name).1 {
            _ if matches!(unit, "" | "-" | "--" | "1") => name,
            Some(own) if own == unit => name,
            Some(own) if crate::units::Unit::is_known(own) => {
                return Err(refuse_at(
                    file,
                    format!(", row {}", line.number),
                    format!("\"{name}\" has \"{unit}\" in the row of units below it: correct one of them"),
                ));
            }
            _ => format!("{name} ({unit})"),
        });
    }
    Ok(names)
}

/// Contents of the comments, except for those that are the header.
fn comments(lines: &[Line<'_>], heading: &Heading) -> Vec<String> {
    let used = |at: usize| {
        let is =
            |of: &Option<(usize, Vec<Vec<u8>>)>| of.as_ref().is_some_and(|(line, _)| *line == at);
        is(&heading.names) || is(&heading.units)
    };
    let comment = |(at, line): &(usize, &Line<'_>)| line.is_comment() && !used(*at);
    lines
        .iter()
        .enumerate()
        .filter(comment)
        .take(MAX_COMMENTS)
        .map(|(_, line)| {
            let text = words(line.text, 200);
            format!("the file says: {}", text.trim_start_matches(['#', ' ']))
        })
        .collect()
}

/// Reports which lines before the rows are not part of the table, and where its units are.
fn skipped(lines: &[Line<'_>], table: &Table) -> Vec<String> {
    let top = table
        .heading
        .names
        .as_ref()
        .map_or(table.first, |(at, _)| *at);
    let before: Vec<&Line> = lines[..top.min(lines.len())]
        .iter()
        .filter(|line| !line.is_blank() && !line.is_comment())
        .collect();
    let mut notes = Vec::new();
    if let (Some(first), Some(last)) = (before.first(), before.last()) {
        let shown = before.iter().take(MAX_SHOWN);
        let shown: Vec<String> = shown
            .map(|line| format!("\"{}\"", words(line.text.trim_ascii(), MAX_WORDS)))
            .collect();
        notes.push(format!(
            "{} before the table {} not read: {}{}",
            span(first.number, last.number),
            if first.number == last.number {
                "is"
            } else {
                "are"
            },
            shown.join(", "),
            if before.len() > MAX_SHOWN {
                ", …"
            } else {
                ""
            }
        ));
    }
    if let Some((at, _)) = &table.heading.units {
        notes.push(format!("the units are those of line {}", lines[*at].number));
    }
    notes
}

/// `line 3` or `lines 3 to 5`.
pub(super) fn span(first: usize, last: usize) -> String {
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

/// Marks that occur in numbers.
#[derive(Default)]
struct Marks {
    /// Whether a comma is certainly a decimal mark.
    comma: bool,
    point: bool,
    /// A number such as `1,002` whose comma is ambiguous.
    either: Option<String>,
}

impl Marks {
    fn of(lines: &[Line<'_>], table: &Table) -> Self {
        let mut marks = Self::default();
        let rows = lines.iter().skip(table.first);
        for line in rows.filter(|line| !line.is_comment()) {
            // Points in numbers with decimal commas are detected while the rows are read.
            if !line.text.contains(&b',') && marks.point {
                continue;
            }
            for cell in table.delimiter.split(line.text) {
                if Kind::of(&cell) != Kind::Value || cell.contains(&b':') {
                    continue;
                }
                marks.comma |= cell.contains(&b',')
                    && number::has_decimal_comma(&cell)
                    && number::is_surely_decimal(&cell, b',');
                marks.comma |=
                    number::parse_grouped(&cell, true, false).is_some() && cell.contains(&b',');
                marks.point |= number::is_surely_decimal(&cell, b'.')
                    || (cell.contains(&b'.')
                        && number::parse_grouped(&cell, false, false).is_some());
                if number::has_decimal_comma(&cell) && !number::is_surely_decimal(&cell, b',') {
                    marks.either.get_or_insert_with(|| words(&cell, 40));
                }
            }
        }
        marks
    }

    fn decimal_comma(&self, file: &str, delimiter: Delimiter) -> Result<bool, TableError> {
        match &self.either {
            _ if self.comma => Ok(true),
            None => Ok(false),
            Some(_) if self.point => Ok(false),
            // If commas occur in numbers but not as separators, they are decimal commas.
            Some(_) if delimiter != Delimiter::Comma => Ok(true),
            Some(number) => Err(refuse(
                file,
                format!(
                    "\"{number}\" may have three decimals or a thousand: write its numbers without a comma"
                ),
            )),
        }
    }
}

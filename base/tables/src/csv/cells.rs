//! Cells of a line and their kinds.

use csv::ByteRecord;

use crate::{clock, number};

/// Separator between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    Semicolon,
    Tab,
    Comma,
    /// One or more spaces.
    Spaces,
}

impl Delimiter {
    /// In the order in which they are tried: a decimal comma may occur between semicolons, a space anywhere.
    pub(super) const ALL: [Self; 4] = [Self::Semicolon, Self::Tab, Self::Comma, Self::Spaces];

    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Comma => b',',
            Self::Spaces => b' ',
        }
    }

    /// The cells of a line, without surrounding blanks.
    pub(super) fn split(self, line: &[u8]) -> Vec<Vec<u8>> {
        let wanted = |cell: &&[u8]| self != Self::Spaces || !cell.is_empty();
        let trimmed = |cell: &[u8]| cell.trim_ascii().to_vec();
        if !line.contains(&b'"') {
            let cells = line.split(|byte| *byte == self.byte());
            return cells.filter(wanted).map(trimmed).collect();
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.byte())
            .from_reader(line);
        let mut record = ByteRecord::new();
        if !reader.read_byte_record(&mut record).unwrap_or(false) {
            return Vec::new();
        }
        record.iter().filter(wanted).map(trimmed).collect()
    }
}

/// Kind of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number in any notation, or a clock time.
    Value,
    Missing,
    Text,
}

impl Kind {
    pub(super) fn of(cell: &[u8]) -> Self {
        if number::is_missing(cell) {
            Self::Missing
        } else if number::parse(cell).is_some()
            || number::has_decimal_comma(cell)
            || number::parse_grouped(cell, false, true).is_some()
            || number::parse_grouped(cell, true, true).is_some()
            || clock::parse(cell).is_some()
        {
            Self::Value
        } else {
            Self::Text
        }
    }
}

/// Kinds of the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) width: usize,
    pub(super) values: usize,
    pub(super) texts: usize,
}

impl Shape {
    pub(super) fn of<'a>(cells: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut shape = Self {
            width: 0,
            values: 0,
            texts: 0,
        };
        for cell in cells {
            shape.width += 1;
            match Kind::of(cell) {
                Kind::Value => shape.values += 1,
                Kind::Text => shape.texts += 1,
                Kind::Missing => {}
            }
        }
        shape
    }

    /// Whether it is a row of numbers: a log needs two numbers, and a row of merged topics may have one number and
    /// gaps.
    pub(super) fn is_row(self) -> bool {
        self.width >= 2 && (self.values >= 2 || (self.values == 1 && self.texts == 0))
    }
}

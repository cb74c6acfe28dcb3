//! Location of the table in a text: a block of rows of numbers, with names and units above it.

use super::cells::{Delimiter, Kind, Shape};
use super::encoding::words;
use crate::names::{self, Quantity};
use crate::units::Unit;

/// A line of the text.
pub(super) struct Line<'a> {
    /// Line number, from 1, as in an editor.
    pub(super) number: usize,
    /// Start of the line [bytes].
    pub(super) start: usize,
    /// Text without the line end.
    pub(super) text: &'a [u8],
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with(b"#")
    }

    /// Text without the comment mark.
    pub(super) fn bare(&self) -> &[u8] {
        let marks: [&[u8]; 3] = [b"#", b"%", b"//"];
        let text = self.text.trim_ascii();
        let of = |mark: &&[u8]| text.strip_prefix(*mark);
        marks
            .iter()
            .find_map(of)
            .map_or(self.text, <[u8]>::trim_ascii)
    }
}

/// The lines of a text; `cut`: the last one is incomplete.
pub(super) fn lines(text: &[u8], cut: bool) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines: Vec<Line> = text
        .split(|&byte| byte == b'\n')
        .enumerate()
        .map(|(at, line)| {
            let found = Line {
                number: at + 1,
                start,
                // Tabs at the end are cells.
                text: line.strip_suffix(b"\r").unwrap_or(line),
            };
            start += line.len() + 1;
            found
        })
        .collect();
    if cut && lines.len() > 1 {
        lines.pop();
    }
    lines
}

/// Location of the table.
pub(super) struct Table {
    pub(super) delimiter: Delimiter,
    /// Index of the line of the first row of numbers.
    pub(super) first: usize,
    pub(super) width: usize,
    pub(super) heading: Heading,
}

/// Lines above the rows.
#[derive(Default)]
pub(super) struct Heading {
    /// Names of the columns, and the index of their line.
    pub(super) names: Option<(usize, Vec<Vec<u8>>)>,
    /// Units of the columns, and the index of their line.
    pub(super) units: Option<(usize, Vec<Vec<u8>>)>,
}

impl Heading {
    /// Number of names with a known meaning.
    fn known(&self) -> usize {
        let Some((_, names)) = &self.names else {
            return 0;
        };
        names.iter().filter(|name| is_known(name)).count()
    }

    /// Whether one of the names denotes a time.
    fn has_time(&self) -> bool {
        let names = self.names.iter().flat_map(|(_, names)| names);
        let mut meanings = names.filter_map(|name| names::meaning(&words(name, 200)));
        meanings.any(|meaning| meaning.quantity == Quantity::Time)
    }
}

fn is_known(name: &[u8]) -> bool {
    let name = words(name, 200);
    names::meaning(&name).is_some() || names::place(&name).is_some()
}

/// Consecutive rows of numbers with the same width.
struct NumberRows {
    first: usize,
    rows: usize,
    texts: usize,
    width: usize,
}

/// Finds the table of a text, with the delimiter that gives the largest block of rows of numbers with the fewest
/// words.
pub(super) fn find(lines: &[Line<'_>]) -> Option<Table> {
    let mut best: Option<(Delimiter, Vec<NumberRows>, usize)> = None;
    for delimiter in Delimiter::ALL {
        let blocks = blocks(lines, delimiter);
        let rank = |block: &NumberRows| (block.rows, usize::MAX - block.texts);
        // Among blocks of equal length, the first one.
        let longest = (0..blocks.len()).rev().max_by_key(|&at| rank(&blocks[at]));
        let Some(longest) = longest else { continue };
        let better = best
            .as_ref()
            .is_none_or(|(_, others, at)| rank(&blocks[longest]) > rank(&others[*at]));
        if better {
            best = Some((delimiter, blocks, longest));
        }
    }
    let (delimiter, blocks, longest) = best?;
    let width = blocks[longest].width;
    let of = |block: &NumberRows| heading(lines, delimiter, block);
    // A malformed row ends a block: the table starts with the first block below names, not after the malformed row.
    // Rows of another width need a time among their names, because a table of results has none.
    let named = blocks.iter().find_map(|block| {
        let heading = of(block);
        let known = heading.known();
        let fits = if block.width == width {
            known > 0
        } else {
            known > 1 && heading.has_time()
        };
        fits.then_some((block, heading))
    });
    let (block, heading) = if let Some(named) = named {
        named
    } else {
        let block = blocks.iter().find(|block| block.width == width)?;
        (block, of(block))
    };
    let width = block.width;
    let mut table = Table {
        delimiter,
        first: block.first,
        width,
        heading,
    };
    if table.heading.names.is_none() {
        table.take_first_row(lines, block);
    }
    Some(table)
}

impl Table {
    /// Handles names that look like numbers, `time,1,2`, with a word above numbers.
    fn take_first_row(&mut self, lines: &[Line<'_>], block: &NumberRows) {
        let rest = &lines[block.first + 1..];
        let next = rest
            .iter()
            .position(|line| !line.is_blank() && !line.is_comment());
        let (Some(next), true) = (next, block.rows > 1) else {
            return;
        };
        let next = block.first + 1 + next;
        let names = self.delimiter.split(lines[block.first].text);
        let below = self.delimiter.split(lines[next].text);
        let word_above_number = names
            .iter()
            .zip(&below)
            .any(|(above, below)| Kind::of(above) == Kind::Text && Kind::of(below) == Kind::Value);
        if word_above_number {
            self.heading.names = Some((block.first, names));
            self.first = next;
        }
    }
}

fn blocks(lines: &[Line<'_>], delimiter: Delimiter) -> Vec<NumberRows> {
    let mut blocks: Vec<NumberRows> = Vec::new();
    let mut open = false;
    for (at, line) in lines.iter().enumerate() {
        if line.is_blank() || line.is_comment() {
            continue;
        }
        let cells = delimiter.split(line.text);
        let shape = Shape::of(cells.iter().map(Vec::as_slice));
        match blocks.last_mut().filter(|_| open) {
            Some(block) if shape.is_row() && block.width == shape.width => {
                block.rows += 1;
                block.texts += shape.texts;
            }
            _ if shape.is_row() => blocks.push(NumberRows {
                first: at,
                rows: 1,
                texts: shape.texts,
                width: shape.width,
            }),
            _ => {}
        }
        open = shape.is_row();
    }
    blocks
}

/// Names and units directly above a block.
fn heading(lines: &[Line<'_>], delimiter: Delimiter, block: &NumberRows) -> Heading {
    let mut above = (0..block.first).rev().filter(|&at| !lines[at].is_blank());
    let Some(nearest) = above.next() else {
        return Heading::default();
    };
    let names_at = |at: usize| Some((at, names(&lines[at], delimiter, block.width)?));
    let own = names_at(nearest);
    if let Some(units) = units(&lines[nearest], delimiter, block.width)
        && let Some(names) = above.next().and_then(names_at)
    {
        return Heading {
            names: Some(names),
            units: Some((nearest, units)),
        };
    }
    Heading {
        names: own.or_else(|| ragged(&lines[nearest], delimiter).map(|names| (nearest, names))),
        units: None,
    }
}

/// The cells if they match the table's width and one of them is a word; in a comment all of them must be.
fn names(line: &Line<'_>, delimiter: Delimiter, width: usize) -> Option<Vec<Vec<u8>>> {
    // `numpy.savetxt` writes its header as a comment, and not always with the delimiter of the rows.
    let others = Delimiter::ALL
        .into_iter()
        .filter(|other| *other != delimiter);
    [delimiter].into_iter().chain(others).find_map(|delimiter| {
        let mut cells = delimiter.split(line.bare());
        // A trailing delimiter in the header or in the rows; LabVIEW has a comment column that its rows omit.
        if cells.len() == width + 1
            && cells
                .last()
                .is_some_and(|last| last.is_empty() || last == b"Comment")
        {
            cells.pop();
        }
        let kinds: Vec<Kind> = cells.iter().map(|cell| Kind::of(cell)).collect();
        let words = kinds.iter().filter(|kind| **kind == Kind::Text).count();
        let all = words == width;
        let fits = cells.len() == width && words > 0 && !kinds.contains(&Kind::Value);
        (fits && (all || !line.is_comment())).then_some(cells)
    })
}

/// A header with more or fewer names than the rows have cells; it leads to an error for the rows.
fn ragged(line: &Line<'_>, delimiter: Delimiter) -> Option<Vec<Vec<u8>>> {
    let cells = delimiter.split(line.text);
    let words = cells.iter().all(|cell| Kind::of(cell) == Kind::Text);
    let fits = cells.len() > 1 && words && !line.is_comment();
    (fits && cells.iter().any(|cell| is_known(cell))).then_some(cells)
}

/// A row of units: at least one is known, and all cells are units.
fn units(line: &Line<'_>, delimiter: Delimiter, width: usize) -> Option<Vec<Vec<u8>>> {
    let mut cells = delimiter.split(line.bare());
    if cells.len() == width + 1 && cells.last().is_some_and(Vec::is_empty) {
        cells.pop();
    }
    let mut known = 0;
    for cell in &cells {
        let text = words(cell, 40);
        let bare = bracketless(&text);
        let is_known = Unit::is_known(bare) || names::is_clock(bare);
        known += usize::from(is_known);
        if !is_known && bare.len() == text.len() && !bare.is_empty() && !is_unit_of_else(bare) {
            return None;
        }
    }
    (cells.len() == width && known > 0).then_some(cells)
}

/// `(mm)` → `mm`.
pub(super) fn bracketless(text: &str) -> &str {
    let text = text.trim();
    for (open, close) in [('(', ')'), ('[', ']'), ('<', '>'), ('{', '}')] {
        let inside = text
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close));
        if let Some(inside) = inside {
            return inside.trim();
        }
    }
    text
}

/// Whether it is a unit of other typical columns of a log.
fn is_unit_of_else(text: &str) -> bool {
    const UNITS: [&str; 28] = [
        "-", "--", "1", "%", "°", "deg", "rad", "°C", "C", "K", "V", "mV", "A", "mA", "Hz", "Pa",
        "kPa", "MPa", "GPa", "Nm", "N*m", "N·m", "J", "mJ", "mm/mm", "counts", "count", "N/mm²",
    ];
    UNITS.contains(&text)
}

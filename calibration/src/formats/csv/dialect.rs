//! How a text log is written: delimiter, header, comments.

use csv::ByteRecord;

use crate::CalibrationError;
use crate::formats::plan::Field;
use crate::formats::{number, refuse};

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    Semicolon,
    Tab,
    Comma,
    /// One or more.
    Spaces,
}

impl Delimiter {
    /// In the order in which they are tried: a decimal comma may stand between semicolons, a space anywhere.
    const ALL: [Self; 4] = [Self::Semicolon, Self::Tab, Self::Comma, Self::Spaces];

    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Comma => b',',
            Self::Spaces => b' ',
        }
    }

    /// The cells of a line.
    fn split(self, line: &[u8]) -> Vec<Vec<u8>> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.byte())
            .from_reader(line);
        let mut record = ByteRecord::new();
        if !reader.read_byte_record(&mut record).unwrap_or(false) {
            return Vec::new();
        }
        record
            .iter()
            .filter(|cell| self != Self::Spaces || !cell.is_empty())
            .map(|cell| cell.trim_ascii().to_vec())
            .collect()
    }
}

/// How a file is written.
pub(super) struct Dialect {
    pub(super) delimiter: Delimiter,
    /// Whether numbers are written `0,002`.
    pub(super) decimal_comma: bool,
    /// Whether the first row is names.
    pub(super) has_header: bool,
    /// The columns.
    pub(super) fields: Vec<Field>,
    /// What comments before the first row say.
    pub(super) comments: Vec<String>,
}

/// Comment lines that go into the notes.
const MAX_COMMENTS: usize = 8;

/// Most columns of a file.
const MAX_COLUMNS: usize = 4096;

impl Dialect {
    /// Looks at the first lines; `cut`: the last one is incomplete.
    pub(super) fn of(file: &str, head: &[u8], cut: bool) -> Result<Self, CalibrationError> {
        let mut lines: Vec<&[u8]> = head.split(|&byte| byte == b'\n').collect();
        if cut && lines.len() > 1 {
            lines.pop();
        }
        let lines = lines.into_iter().map(<[u8]>::trim_ascii_end);
        let (comments, rows): (Vec<&[u8]>, Vec<&[u8]>) = lines
            .filter(|line| !line.is_empty())
            .partition(|line| line.starts_with(b"#"));
        let Some(&first) = rows.first() else {
            return Err(refuse(file, "has no rows, only blank or comment lines"));
        };
        let delimiter = if rows.iter().take(2).any(|line| spaced_decimal_commas(line)) {
            let several = |delimiter: &Delimiter| delimiter.split(first).len() > 1;
            let others = [Delimiter::Semicolon, Delimiter::Tab, Delimiter::Spaces];
            others
                .into_iter()
                .find(several)
                .unwrap_or(Delimiter::Spaces)
        } else {
            delimiter(first, rows.get(1).copied())
        };
        let decimal_comma = rows.iter().any(|line| {
            line.contains(&b',')
                && delimiter
                    .split(line)
                    .iter()
                    .any(|cell| number::has_decimal_comma(cell))
        });
        let cells = delimiter.split(first);
        if cells.len() > MAX_COLUMNS {
            let n = cells.len();
            return Err(refuse(
                file,
                format!("has {n} columns, above the {MAX_COLUMNS} that a log may have"),
            ));
        }
        let is_name = |cell: &Vec<u8>| {
            !cell.is_empty() && number::parse(cell).is_none() && !number::has_decimal_comma(cell)
        };
        let has_header = cells.iter().any(is_name);
        let mut comments = comments;
        let names = if has_header {
            Some(cells.clone())
        } else {
            commented_header(delimiter, &mut comments, cells.len(), is_name)
        };
        let fields = match names {
            Some(names) => names
                .iter()
                .map(|name| Field::scalar(Some(text(name))))
                .collect(),
            None => vec![Field::scalar(None); cells.len()],
        };
        let commas = decimal_comma.then(|| "numbers have decimal commas".to_owned());
        Ok(Self {
            delimiter,
            decimal_comma,
            has_header,
            fields,
            comments: comments
                .iter()
                .take(MAX_COMMENTS)
                .map(|line| {
                    format!(
                        "the file says: {}",
                        text(line).trim_start_matches(['#', ' '])
                    )
                })
                .chain(commas)
                .collect(),
        })
    }
}

/// `numpy.savetxt` writes its header as a comment: names, as many as there are columns, in the last comment, which is taken out.
fn commented_header(
    delimiter: Delimiter,
    comments: &mut Vec<&[u8]>,
    width: usize,
    is_name: impl Fn(&Vec<u8>) -> bool,
) -> Option<Vec<Vec<u8>>> {
    let line = comments.last()?.strip_prefix(b"#")?.trim_ascii();
    let names = delimiter.split(line);
    if names.len() != width || width < 2 || !names.iter().all(is_name) {
        return None;
    }
    comments.pop();
    Some(names)
}

/// The first delimiter that cuts both lines into the same number of cells, or at least the first line.
fn delimiter(first: &[u8], second: Option<&[u8]>) -> Delimiter {
    let several = |delimiter: &Delimiter| delimiter.split(first).len() > 1;
    let same = |delimiter: &Delimiter| {
        second.is_none_or(|line| delimiter.split(line).len() == delimiter.split(first).len())
    };
    let mut of = Delimiter::ALL.into_iter().filter(several);
    let fallback = of.clone().next();
    of.find(same).or(fallback).unwrap_or(Delimiter::Comma)
}

/// `0,002 1,5`: decimal commas between spaces, tabs or semicolons.
fn spaced_decimal_commas(line: &[u8]) -> bool {
    let mut cells = line
        .split(|byte| matches!(byte, b' ' | b'\t' | b';'))
        .filter(|cell| !cell.is_empty())
        .peekable();
    let mut commas = 0;
    let numbers = cells.all(|cell| {
        let comma = number::has_decimal_comma(cell);
        commas += usize::from(comma);
        comma || number::parse(cell).is_some()
    });
    // A lone `1,2` may be two columns.
    numbers && commas > 0 && line.iter().any(|byte| matches!(byte, b' ' | b'\t' | b';'))
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).chars().take(200).collect()
}

//! Header of a NumPy array: contents, checked against the size of the file before allocation.

use std::io::Read;

use super::dtype::{self, DtypeField};
use super::literal::{self, Literal};
use crate::source;

/// Maximum size of a header [bytes]; NumPy's own limit is 10 000 characters.
const MAX_HEADER: usize = 1 << 16;

/// Maximum number of values in a row.
pub(super) const MAX_COLUMNS: usize = 4096;

/// Layout of an array: rows of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Number of rows; `None`: the array is not a table (0-D or above 2-D).
    pub(super) rows: Option<usize>,
    pub(super) parts: Vec<DtypeField>,
    /// Size of a row [bytes].
    pub(super) stride: usize,
    /// Whether the array is stored column by column.
    pub(super) by_column: bool,
    /// Size of the array [bytes].
    pub(super) bytes: u64,
}

/// Reads the header of an array in a file of `size` bytes, and checks that the array fills the rest of it.
pub(super) fn read(input: &mut dyn Read, size: u64) -> Result<Header, String> {
    let mut start = [0u8; 8];
    let n = fill(input, &mut start)?;
    if !start[..n].starts_with(b"\x93NUMPY") {
        return Err(match source::looks_like(&start[..n]) {
            Some(what) => format!("is not a NumPy array but {what}"),
            None => "is not a NumPy array: it does not begin with \\x93NUMPY".to_owned(),
        });
    }
    let (wide, major) = match start[6..n] {
        [1, _] => (2, 1),
        [major @ (2 | 3), _] => (4, major),
        [major, minor] => return Err(format!("has version {major}.{minor}; known are 1, 2 and 3")),
        _ => return Err(cut(n as u64)),
    };
    let mut length = [0u8; 4];
    if fill(input, &mut length[..wide])? < wide {
        return Err(cut(size));
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(format!(
            "says that its header has {length} bytes, above the {MAX_HEADER} that a header may have"
        ));
    }
    let mut text = vec![0u8; length];
    if fill(input, &mut text)? < length {
        return Err(cut(size));
    }
    let text = match major {
        3 => String::from_utf8(text).map_err(|_| "has a header that is not UTF-8")?,
        // Latin-1: every byte is a character.
        _ => text.into_iter().map(char::from).collect(),
    };
    let rest = size.saturating_sub((8 + wide + length) as u64);
    let header = of(&text).map_err(|problem| format!("its header {problem}"))?;
    if header.bytes != rest {
        let what = if header.bytes > rest {
            "cut off"
        } else {
            "longer than its array"
        };
        return Err(format!(
            "is {what}: its header asks for {} bytes of numbers, and {rest} follow",
            header.bytes
        ));
    }
    Ok(header)
}

fn cut(size: u64) -> String {
    format!("is cut off within its header, at {size} bytes")
}

/// Fills a buffer as far as input is available.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> Result<usize, String> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot be read: {error}")),
        }
    }
    Ok(filled)
}

fn of(text: &str) -> Result<Header, String> {
    let Literal::Dictionary(entries) = literal::parse(text)? else {
        return Err("is no dictionary".to_owned());
    };
    let entry = |key: &str| {
        entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
            .ok_or_else(|| format!("has no \"{key}\""))
    };
    let Literal::Boolean(fortran) = entry("fortran_order")? else {
        return Err("has a fortran_order that is neither True nor False".to_owned());
    };
    let (mut parts, mut stride) = dtype::parts(entry("descr")?)?;
    let shape = shape(entry("shape")?)?;
    let bytes = shape
        .iter()
        .try_fold(stride as u64, |bytes, n| bytes.checked_mul(*n))
        .filter(|bytes| *bytes <= super::super::MAX_FILE_BYTES)
        .ok_or_else(|| format!("has the shape {shape:?}, which is too large"))?;
    let structured = parts.first().is_none_or(|part| part.name.is_some());
    let rows = match shape[..] {
        [rows] => Some(rows),
        [rows, columns] if !structured => {
            if columns > MAX_COLUMNS as u64 {
                return Err(format!(
                    "has the shape {shape:?}: {columns} columns are above the {MAX_COLUMNS} of a log; transpose it if rows and columns are swapped"
                ));
            }
            parts[0].width = Some(columns as usize);
            stride *= columns as usize;
            Some(rows)
        }
        _ => None,
    };
    Ok(Header {
        rows: rows.map(|rows| rows as usize),
        parts,
        stride,
        by_column: *fortran && shape.len() > 1,
        bytes,
    })
}

fn shape(literal: &Literal) -> Result<Vec<u64>, String> {
    let strange = || "has a shape that is no list of lengths".to_owned();
    let Literal::Sequence(lengths) = literal else {
        return Err(strange());
    };
    lengths
        .iter()
        .map(|length| match length {
            Literal::Integer(length) => Ok(*length),
            _ => Err(strange()),
        })
        .collect()
}

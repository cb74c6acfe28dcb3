//! Parses an array of a version 5 MAT-file from its bytes.

/// Maximum depth of nested structs.
const MAX_DEPTH: usize = 8;
/// Maximum number of values in a row.
const MAX_WIDTH: usize = 4096;
/// Classes of arrays: struct, and the numeric ones from double to uint64.
const STRUCT: u8 = 2;
const NUMERIC: std::ops::RangeInclusive<u8> = 6..=15;
/// Flag of a complex array.
const COMPLEX: u8 = 0x08;

/// An array of numbers with one row per sample.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// Name of the variable, or a path such as `log.force` in a struct.
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) width: usize,
    /// Values column by column, as stored by MATLAB.
    pub(super) values: Vec<f64>,
    /// Whether a sample is a column of the array instead of a row.
    by_column: bool,
}

impl Array {
    /// One number of each row.
    pub(super) fn column(&self, element: usize) -> Vec<f64> {
        if self.by_column {
            let of = self.values.iter().skip(element).step_by(self.width);
            of.copied().collect()
        } else {
            self.values[element * self.rows..(element + 1) * self.rows].to_vec()
        }
    }
}

/// Adds the numeric arrays in a variable.
pub(super) fn read(
    bytes: &[u8],
    is_big_endian: bool,
    arrays: &mut Vec<Array>,
) -> Result<(), String> {
    let mut at = Elements {
        bytes,
        is_big_endian,
    };
    variable(&mut at, "", MAX_DEPTH, arrays)
}

/// Parses an array without its tag; `name` is the name of the struct's field if it is in a struct.
fn variable(
    at: &mut Elements,
    name: &str,
    depth: usize,
    arrays: &mut Vec<Array>,
) -> Result<(), String> {
    let flags = at.next()?;
    let [class, flags] = match (flags.bytes, at.is_big_endian) {
        ([class, flags, ..], false) | ([_, _, flags, class, ..], true) => [*class, *flags],
        _ => return Err("its flags are missing".to_owned()),
    };
    if class != STRUCT && !NUMERIC.contains(&class) {
        return Ok(());
    }
    let shape = at.next()?.numbers(at.is_big_endian)?;
    let own = at.next()?;
    let own = String::from_utf8_lossy(own.bytes).into_owned();
    let name = if name.is_empty() {
        own
    } else {
        name.to_owned()
    };
    if class == STRUCT {
        // In an array of structs, no element can be selected as the log.
        if depth == 0 || shape.iter().any(|size| *size != 1.0) {
            return Ok(());
        }
        let length = at.next()?.numbers(at.is_big_endian)?;
        let length = match length[..] {
            [length] if (1.0..=64.0).contains(&length) => length as usize,
            _ => return Err("the names of a struct have no length".to_owned()),
        };
        let names: Vec<String> = at
            .next()?
            .bytes
            .chunks_exact(length)
            .map(|field| {
                let end = field.iter().position(|byte| *byte == 0);
                String::from_utf8_lossy(&field[..end.unwrap_or(length)]).into_owned()
            })
            .collect();
        for field in names {
            let inner = at.next()?;
            // An empty field has no bytes.
            if inner.kind == super::MATRIX && !inner.bytes.is_empty() {
                let mut inner = Elements {
                    bytes: inner.bytes,
                    is_big_endian: at.is_big_endian,
                };
                variable(&mut inner, &format!("{name}.{field}"), depth - 1, arrays)?;
            }
        }
        return Ok(());
    }
    let [rows, columns] = shape[..] else {
        return Ok(());
    };
    if flags & COMPLEX != 0 || rows < 1.0 || columns < 1.0 {
        return Ok(());
    }
    let (rows, columns) = (rows as usize, columns as usize);
    let (long, short) = (rows.max(columns), rows.min(columns));
    if short > MAX_WIDTH {
        return Ok(());
    }
    let element = at.next()?;
    let n = element.count();
    if long.checked_mul(short) != Some(n) {
        return Err(format!(
            "\"{name}\" is {rows} by {columns} and has {n} numbers"
        ));
    }
    // One byte of the file may become a number of eight bytes.
    let kept: usize = arrays.iter().map(|array| array.values.len()).sum();
    if kept + n > super::MAX_NUMBERS {
        return Err(format!(
            "with \"{name}\" there are more than {} numbers: save the log's variables alone",
            super::MAX_NUMBERS
        ));
    }
    let values = element.numbers(at.is_big_endian)?;
    arrays.push(Array {
        name,
        rows: long,
        width: short,
        values,
        by_column: columns > rows && rows > 1,
    });
    Ok(())
}

/// Iterates over elements; every size is checked against the remaining bytes.
struct Elements<'a> {
    bytes: &'a [u8],
    is_big_endian: bool,
}

struct Element<'a> {
    kind: u32,
    bytes: &'a [u8],
}

impl<'a> Elements<'a> {
    fn next(&mut self) -> Result<Element<'a>, String> {
        let word = |bytes: &[u8]| -> Option<u32> {
            let word = bytes.first_chunk::<4>()?;
            Some(if self.is_big_endian {
                u32::from_be_bytes(*word)
            } else {
                u32::from_le_bytes(*word)
            })
        };
        let first = word(self.bytes).ok_or(SHORT)?;
        // A small element has its size in the upper half of its type, and its data in place of the size.
        let (kind, size, start, end) = match first >> 16 {
            0 => {
                let size = self.bytes.get(4..).and_then(word).ok_or(SHORT)? as usize;
                let padded = if first == super::COMPRESSED {
                    size
                } else {
                    size.next_multiple_of(8)
                };
                (first, size, 8, padded.saturating_add(8))
            }
            size @ 1..=4 => (first & 0xffff, size as usize, 4, 8),
            _ => return Err(SHORT.to_owned()),
        };
        let bytes = self.bytes.get(start..start + size).ok_or(SHORT)?;
        self.bytes = self.bytes.get(end..).unwrap_or_default();
        Ok(Element { kind, bytes })
    }
}

const SHORT: &str = "it is shorter than it says";

impl Element<'_> {
    /// Number of values; 0 for an unknown type.
    fn count(&self) -> usize {
        let size = match self.kind {
            1 | 2 => 1,
            3 | 4 => 2,
            5..=7 => 4,
            9 | 12 | 13 => 8,
            _ => return 0,
        };
        self.bytes.len() / size
    }

    fn numbers(&self, is_big_endian: bool) -> Result<Vec<f64>, String> {
        fn all<const N: usize>(
            bytes: &[u8],
            is_big_endian: bool,
            number: fn([u8; N]) -> f64,
        ) -> Vec<f64> {
            let (chunks, _) = bytes.as_chunks::<N>();
            let one = |chunk: &[u8; N]| {
                let mut chunk = *chunk;
                if is_big_endian {
                    chunk.reverse();
                }
                number(chunk)
            };
            chunks.iter().map(one).collect()
        }
        let (bytes, big) = (self.bytes, is_big_endian);
        Ok(match self.kind {
            1 => all(bytes, big, |b| f64::from(i8::from_le_bytes(b))),
            2 => all(bytes, big, |b| f64::from(u8::from_le_bytes(b))),
            3 => all(bytes, big, |b| f64::from(i16::from_le_bytes(b))),
            4 => all(bytes, big, |b| f64::from(u16::from_le_bytes(b))),
            5 => all(bytes, big, |b| f64::from(i32::from_le_bytes(b))),
            6 => all(bytes, big, |b| f64::from(u32::from_le_bytes(b))),
            7 => all(bytes, big, |b| f64::from(f32::from_le_bytes(b))),
            9 => all(bytes, big, f64::from_le_bytes),
            12 => all(bytes, big, |b| i64::from_le_bytes(b) as f64),
            13 => all(bytes, big, |b| u64::from_le_bytes(b) as f64),
            kind => return Err(format!("it holds numbers of the unknown type {kind}")),
        })
    }
}

//! NumPy data types.

use super::literal::Literal;

/// Kind of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
    Boolean,
    /// Recognised but not readable as a number.
    Other,
}

/// A type such as `<f8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dtype {
    kind: Kind,
    big_endian: bool,
    /// Size of one value [bytes].
    pub(super) size: usize,
    /// Name as written.
    name: String,
}

/// A named part of a row, or the row itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DtypeField {
    pub(super) name: Option<String>,
    pub(super) dtype: Dtype,
    /// Offset in the row [bytes].
    pub(super) offset: usize,
    /// Number of values; `None`: a single value.
    pub(super) width: Option<usize>,
}

/// Maximum size of a text or opaque part [bytes], and maximum number of values in one part.
const MAX_PART: usize = 1 << 20;

impl Dtype {
    fn parse(text: &str) -> Result<Self, String> {
        let (order, rest) = match text.as_bytes().first() {
            Some(b'<' | b'>' | b'|' | b'=') => text.split_at(1),
            _ => ("<", text),
        };
        let mut characters = rest.chars();
        let kind = characters.next().ok_or("has an empty type")?;
        let digits: String = characters
            .as_str()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let count: usize = match digits.as_str() {
            "" => 0,
            digits => digits
                .parse()
                .map_err(|_| format!("has the type \"{text}\""))?,
        };
        let unknown = || format!("has the type \"{text}\", which is not known");
        let (kind, size) = match (kind, count) {
            ('O', _) => return Err(pickled()),
            ('f', 4 | 8) => (Kind::Float, count),
            ('i', 1 | 2 | 4 | 8) => (Kind::Signed, count),
            ('u', 1 | 2 | 4 | 8) => (Kind::Unsigned, count),
            ('b', 1) => (Kind::Boolean, 1),
            ('f', 2 | 16)
            | ('c', 8 | 16 | 32)
            | ('M' | 'm', 8)
            | ('S' | 'a' | 'V', 0..=MAX_PART) => (Kind::Other, count),
            ('U', 0..=MAX_PART) => (Kind::Other, 4 * count),
            _ => return Err(unknown()),
        };
        Ok(Self {
            kind,
            big_endian: order == ">",
            size,
            name: text.to_owned(),
        })
    }

    /// Why it cannot be read as a number, if so.
    pub(super) fn unreadable(&self) -> Option<String> {
        (self.kind == Kind::Other).then(|| {
            format!(
                "has the type \"{}\", which is no plain number: convert it with astype(\"f8\") in NumPy",
                self.name
            )
        })
    }

    /// Converts `size` bytes to a number.
    pub(super) fn number(&self, bytes: &[u8]) -> f64 {
        let mut little = [0u8; 8];
        little[..self.size].copy_from_slice(&bytes[..self.size]);
        if self.big_endian {
            little[..self.size].reverse();
        }
        let raw = u64::from_le_bytes(little);
        match (self.kind, self.size) {
            (Kind::Float, 8) => f64::from_bits(raw),
            (Kind::Float, _) => f64::from(f32::from_bits(raw as u32)),
            (Kind::Signed, size) => {
                // The sign is the sign of the highest available byte.
                let shift = 64 - 8 * size as u32;
                ((raw << shift) as i64 >> shift) as f64
            }
            (Kind::Boolean, _) => f64::from(u8::from(raw != 0)),
            _ => raw as f64,
        }
    }
}

/// What to do about a file that can only be read by executing it.
pub(super) fn pickled() -> String {
    "holds Python objects (a pickle), which are never executed here: where you trust the file, load it in NumPy with allow_pickle=True \
     and save each column as a plain array, numpy.savez(\"log.npz\", time=…, indentation=…, force=…)"
        .to_owned()
}

/// The parts of a row and its size [bytes], from the entry `descr`.
pub(super) fn parts(descr: &Literal) -> Result<(Vec<DtypeField>, usize), String> {
    match descr {
        Literal::Text(text) => {
            let dtype = Dtype::parse(text)?;
            let size = dtype.size;
            let part = DtypeField {
                name: None,
                dtype,
                offset: 0,
                width: None,
            };
            Ok((vec![part], size))
        }
        Literal::Sequence(items) => {
            let mut parts = Vec::with_capacity(items.len());
            let mut offset = 0usize;
            for item in items {
                let part = part(item, offset)?;
                let bytes = part.dtype.size * part.width.unwrap_or(1);
                offset = offset
                    .checked_add(bytes)
                    .ok_or("has rows beyond counting")?;
                parts.push(part);
            }
            Ok((parts, offset))
        }
        _ => Err("has a descr that is no type".to_owned()),
    }
}

/// `('force', '<f8')` or `('force', '<f8', (3,))`; a name may be `('title', 'force')`.
fn part(item: &Literal, offset: usize) -> Result<DtypeField, String> {
    let strange = || "has a field that is not a name and a type".to_owned();
    let Literal::Sequence(entries) = item else {
        return Err(strange());
    };
    let (name, dtype, shape) = match &entries[..] {
        [name, dtype] => (name, dtype, None),
        [name, dtype, Literal::Sequence(shape)] => (name, dtype, Some(shape)),
        _ => return Err(strange()),
    };
    let name = match name {
        Literal::Text(name) => name,
        Literal::Sequence(pair) => match &pair[..] {
            [_, Literal::Text(name)] => name,
            _ => return Err(strange()),
        },
        _ => return Err(strange()),
    };
    let Literal::Text(dtype) = dtype else {
        return Err(format!(
            "has the field \"{name}\" with fields inside: save it flat"
        ));
    };
    let width = match shape.map(Vec::as_slice) {
        None | Some([]) => None,
        Some([Literal::Integer(width)]) => Some(
            usize::try_from(*width)
                .ok()
                .filter(|width| *width <= MAX_PART)
                .ok_or_else(|| format!("has the field \"{name}\" of {width} numbers a row"))?,
        ),
        Some(_) => {
            return Err(format!(
                "has the field \"{name}\" of several dimensions: save it flat"
            ));
        }
    };
    Ok(DtypeField {
        name: Some(name.clone()),
        dtype: Dtype::parse(dtype)?,
        offset,
        width,
    })
}

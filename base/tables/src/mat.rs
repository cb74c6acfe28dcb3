//! MATLAB's `.mat` files: version 7.3, which is HDF5, and version 5 (also called 6 and 7): numeric arrays, and structs of them.
//!
//! Format: MathWorks, "MAT-File Format" (R2024b), level 5. Arrays are stored column by column: an n×3 array has three
//! columns, an n×1 or 1×n array is one column. Other contents (text, cells, objects, sparse or complex arrays) are
//! skipped.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;

use super::plan::{Field, Request};
use super::source::{self, HDF5_MAGIC, Hashing, Stored};
use super::{MAX_SAMPLES, assemble, refuse, refuse_at};
use crate::TableError;

mod matrix;

use matrix::Array;

/// Number of bytes before the first element.
const HEADER: usize = 128;
/// Maximum number of arrays in a file.
const MAX_ARRAYS: usize = 4096;
/// Maximum number of values in all candidate arrays, which are kept in memory.
const MAX_NUMBERS: usize = 128 << 20;
/// Maximum size of a variable [bytes].
const MAX_ELEMENT: u64 = 8 * MAX_NUMBERS as u64;

/// Types of elements.
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;

/// Reads a log; `stored` has the same contents as `input`.
pub(super) fn read(
    file: &str,
    mut input: impl Read,
    stored: Stored<'_>,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let mut head = Vec::with_capacity(HEADER);
    input
        .by_ref()
        .take(HEADER as u64)
        .read_to_end(&mut head)
        .map_err(|source| failed(file, source))?;
    let whole = head.as_slice().chain(input);
    let marks = head.get(124..HEADER).unwrap_or_default();
    let is_big_endian = match marks {
        [0, 1, b'I', b'M'] => false,
        [1, 0, b'M', b'I'] => true,
        [0, 2, b'I', b'M'] | [2, 0, b'M', b'I'] => {
            return read_level_7_3(file, whole, stored, request);
        }
        _ if head.starts_with(HDF5_MAGIC) => {
            return read_level_7_3(file, whole, stored, request);
        }
        _ => {
            let what = source::looks_like(&head).unwrap_or("something else");
            return Err(refuse(
                file,
                format!(
                    "is not a MAT-file of version 5 or 7.3 but {what}: save it in MATLAB with -v7 or -v7.3"
                ),
            ));
        }
    };
    read_level_5(file, whole, is_big_endian, request)
}

#[cfg(feature = "hdf5")]
fn read_level_7_3(
    file: &str,
    input: impl Read,
    stored: Stored<'_>,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    super::hdf5::read(file, input, stored, "mat", request)
}

#[cfg(not(feature = "hdf5"))]
fn read_level_7_3(
    file: &str,
    _: impl Read,
    _: Stored<'_>,
    _: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    Err(super::not_built(file, source::Format::Hdf5))
}

fn failed(file: &str, source: io::Error) -> TableError {
    TableError::Read {
        file: file.to_owned(),
        source,
    }
}

fn read_level_5(
    file: &str,
    input: impl Read,
    is_big_endian: bool,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let mut hashing = Hashing::new(input);
    let mut arrays: Vec<Array> = Vec::new();
    io::copy(&mut (&mut hashing).take(HEADER as u64), &mut io::sink())
        .map_err(|source| failed(file, source))?;
    while let Some((kind, size)) =
        tag(&mut hashing, is_big_endian).map_err(|problem| refuse(file, problem))?
    {
        let bytes = element(&mut hashing, kind, size, is_big_endian)
            .map_err(|problem| refuse(file, problem))?;
        if let Some(bytes) = bytes {
            matrix::read(&bytes, is_big_endian, &mut arrays)
                .map_err(|problem| refuse(file, format!("holds a damaged array: {problem}")))?;
        }
        if arrays.len() > MAX_ARRAYS {
            return Err(refuse(
                file,
                format!("holds more than {MAX_ARRAYS} arrays: save the log's variables alone"),
            ));
        }
    }
    if arrays.is_empty() {
        return Err(refuse(
            file,
            "holds no arrays of numbers in two dimensions: save plain numeric arrays, or structs of them",
        ));
    }
    let fields: Vec<Field> = arrays
        .iter()
        .map(|array| Field {
            width: (array.width > 1).then_some(array.width),
            ..Field::scalar(Some(array.name.clone()))
        })
        .collect();
    let plan = request.plan(file, &fields)?;
    let mut length: Option<&Array> = None;
    let mut series = Vec::with_capacity(plan.picks.len());
    for pick in &plan.picks {
        let array = &arrays[pick.field];
        match length {
            Some(other) if other.rows != array.rows => {
                return Err(refuse(
                    file,
                    format!(
                        "array \"{}\" has {} rows and \"{}\" has {}: they are not of one log",
                        other.name, other.rows, array.name, array.rows
                    ),
                ));
            }
            _ => length = Some(array),
        }
        if array.rows > MAX_SAMPLES {
            return Err(refuse_at(
                file,
                format!(", {}", pick.label),
                format!("has {} rows; at most {MAX_SAMPLES}", array.rows),
            ));
        }
        let values = array.column(pick.element);
        assemble::check_finite(file, &pick.label, &values)?;
        series.push(values);
    }
    Ok(assemble::Read {
        plan,
        series,
        notes: Vec::new(),
        sha256: hashing.finish(),
        format: "mat",
        has_episode: false,
    })
}

/// Type and size of the next element; `None` at the end.
fn tag(input: &mut impl Read, is_big_endian: bool) -> Result<Option<(u32, u32)>, String> {
    let mut bytes = Vec::with_capacity(8);
    input
        .by_ref()
        .take(8)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be unpacked: {error}"))?;
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => {
            let [a, b, c, d, e, f, g, h] = bytes;
            let [kind, size] = [[a, b, c, d], [e, f, g, h]].map(|word| {
                if is_big_endian {
                    u32::from_be_bytes(word)
                } else {
                    u32::from_le_bytes(word)
                }
            });
            Ok(Some((kind, size)))
        }
        Err(bytes) if bytes.is_empty() => Ok(None),
        Err(_) => Err(CUT.to_owned()),
    }
}

const CUT: &str = "ends within an array: was it cut off?";

/// The bytes of an array; `None` for an element of another type.
fn element(
    input: &mut impl Read,
    kind: u32,
    size: u32,
    is_big_endian: bool,
) -> Result<Option<Vec<u8>>, String> {
    if u64::from(size) > MAX_ELEMENT {
        return Err(format!("holds a variable of {size} bytes: save it alone"));
    }
    let mut packed = input.by_ref().take(u64::from(size));
    let bytes = match kind {
        MATRIX => Some(exactly(&mut packed, size)?),
        COMPRESSED => {
            let mut plain = ZlibDecoder::new(&mut packed);
            match tag(&mut plain, is_big_endian)? {
                Some((MATRIX, inner)) => {
                    source::unpacks_to(u64::from(size), u64::from(inner))?;
                    Some(exactly(&mut plain, inner)?)
                }
                _ => None,
            }
        }
        _ => None,
    };
    let rest = io::copy(&mut packed, &mut io::sink()).map_err(|error| error.to_string())?;
    if bytes.is_none() && rest < u64::from(size) && kind != COMPRESSED {
        return Err(CUT.to_owned());
    }
    Ok(bytes)
}

/// Reads exactly this number of bytes; memory grows only with the available data.
fn exactly(input: impl Read, size: u32) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    input
        .take(u64::from(size))
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be unpacked: {error}"))?;
    if bytes.len() < size as usize {
        return Err(CUT.to_owned());
    }
    Ok(bytes)
}

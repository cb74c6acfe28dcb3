//! Checks the pages of a column before the library unpacks them.
//!
//! The library (parquet 60.1) allocates the size that a page header states, unpacks gzip without a limit, and trusts
//! the counts inside encodings other than plain and dictionary.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use super::thrift::{self, Result};
use crate::source::unpacks_to;

/// Maximum number of values in one column of one row group: 64 million.
const MAX_VALUES: u64 = 1 << 26;

/// `PageType` of pages with values, and the field of `PageHeader` that describes such a page.
const DATA: (i64, i16) = (0, 5);
const DICTIONARY: (i64, i16) = (2, 7);
const DATA_V2: (i64, i16) = (3, 8);

/// `Encoding`: plain, and the two codes for dictionary indices.
const ENCODINGS: [i64; 3] = [0, 2, 8];

/// Contents of a page header; missing fields are 0.
#[derive(Clone, Copy, Debug, Default)]
struct PageHeader {
    kind: i64,
    /// Field that describes the page; 0: none.
    description: i16,
    unpacked: i64,
    packed: i64,
    values: i64,
    encoding: i64,
    /// Sizes of the levels of a version 2 page [bytes], which are not compressed.
    levels: [i64; 2],
    /// Whether a version 2 page states that it is not compressed.
    is_plain: bool,
}

/// Refuses pages of a column that make the Parquet library fail. Only headers are examined, and gzip data, which is
/// unpacked and counted.
///
/// # Errors
/// Describes the problem; to be appended to the column's name.
pub fn check(input: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<()> {
    let bytes = match (
        u64::try_from(
            column
                .dictionary_page_offset()
                .unwrap_or(column.data_page_offset()),
        ),
        usize::try_from(column.compressed_size()),
    ) {
        (Ok(start), Ok(length)) if start.saturating_add(length as u64) <= input.len() => input
            .get_bytes(start, length)
            .map_err(|error| error.to_string())?,
        _ => return Err("lies beyond the end of the file: was it cut off?".to_owned()),
    };
    let mut rest: &[u8] = &bytes;
    let mut values = 0;
    while !rest.is_empty() {
        let (page, length) =
            header(rest).map_err(|problem| format!("has a page that {problem}"))?;
        let body = rest[length..]
            .get(..page.packed as usize)
            .ok_or("has a page that is longer than the column")?;
        rest = &rest[length + body.len()..];
        check_page(page, body, column)?;
        values += page.values as u64;
        if values > MAX_VALUES {
            return Err(format!("has more than {MAX_VALUES} values in a row group"));
        }
    }
    Ok(())
}

/// `PageHeader` of the format's Thrift file, with the description for its type, and its length [bytes].
fn header(bytes: &[u8]) -> Result<(PageHeader, usize)> {
    let mut page = PageHeader::default();
    let length = thrift::walk(bytes, &mut |path, value| {
        match path {
            [1] => page.kind = value,
            [2] => page.unpacked = value,
            [3] => page.packed = value,
            [5 | 7 | 8, 1] => page.values = value,
            [5 | 7, 2] | [8, 4] => page.encoding = value,
            [8, 5] => page.levels[0] = value,
            [8, 6] => page.levels[1] = value,
            [8, 7] => page.is_plain = value == 0,
            _ => {}
        }
        if let [field @ (5 | 7 | 8), _] = *path {
            if page.description != 0 && page.description != field {
                return Err("is described twice".to_owned());
            }
            page.description = field;
        }
        Ok(())
    })?;
    let [first, second] = page.levels;
    if [page.unpacked, page.packed, page.values, first, second]
        .iter()
        .any(|count| *count < 0 || i32::try_from(*count).is_err())
    {
        return Err("has an impossible count".to_owned());
    }
    if ![DATA, DICTIONARY, DATA_V2].contains(&(page.kind, page.description)) {
        return Err("is not described as what it is".to_owned());
    }
    Ok((page, length))
}

fn check_page(page: PageHeader, body: &[u8], column: &ColumnChunkMetaData) -> Result<()> {
    let unpacked = page.unpacked as u64;
    unpacks_to(body.len() as u64, unpacked)?;
    if !ENCODINGS.contains(&page.encoding) {
        return Err(
            "has pages in an encoding that is not read here: write it plain or with a dictionary"
                .to_owned(),
        );
    }
    let width = match column.column_type() {
        Type::INT32 | Type::FLOAT => 4,
        _ => 8,
    };
    if page.description == DICTIONARY.1 && page.values as u64 * width > unpacked {
        return Err("has a dictionary that is shorter than it says".to_owned());
    }
    match column.compression() {
        Compression::GZIP(_) if !page.is_plain => {
            let levels = (page.levels[0] + page.levels[1]) as u64;
            body.get(levels as usize..)
                .zip(unpacked.checked_sub(levels))
                .ok_or("has a page whose levels are longer than itself".to_owned())
                .and_then(|(body, unpacked)| check_gzip(body, unpacked))
        }
        _ => Ok(()),
    }
}

fn check_gzip(body: &[u8], wanted: u64) -> Result<()> {
    // A page without values may have no stream.
    if body.is_empty() && wanted == 0 {
        return Ok(());
    }
    let mut unpacked = MultiGzDecoder::new(body).take(wanted + 1);
    let n = std::io::copy(&mut unpacked, &mut std::io::sink())
        .map_err(|error| format!("has a damaged page: {error}"))?;
    if n == wanted {
        Ok(())
    } else {
        Err(format!(
            "has a page that does not unpack to the {wanted} bytes it says"
        ))
    }
}

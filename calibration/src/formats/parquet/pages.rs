//! The pages of a column, checked before the library unpacks them.
//!
//! The library allocates what a page's header claims, and unpacks gzip without a limit.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use super::compact::{Compact, Result, STRUCT};
use crate::formats::source::unpacks_to;

/// Most values in one column of one row group: 64 million.
pub(super) const MAX_VALUES: u64 = 1 << 26;

/// What a page's header claims.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    kind: i64,
    /// Which field describes it: 5, 7 or 8.
    described: i64,
    unpacked: i64,
    packed: i64,
    values: i64,
    /// Bytes of the levels of a page of version 2, which are not packed.
    levels: [i64; 2],
    /// How its values are written.
    encoding: i64,
    /// Whether a page of version 2 says that it is not packed.
    plain: bool,
}

/// Kinds of pages.
const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_V2: i64 = 3;

/// Where the bytes of a column lie, if they lie in the file.
pub(super) fn range(column: &ColumnChunkMetaData, size: u64) -> Result<(u64, usize)> {
    let start = column
        .dictionary_page_offset()
        .unwrap_or(column.data_page_offset());
    let (start, length) = (
        u64::try_from(start).map_err(|_| "begins before the file")?,
        u64::try_from(column.compressed_size()).map_err(|_| "has less than no bytes")?,
    );
    match start.checked_add(length) {
        Some(end) if end <= size => Ok((start, length as usize)),
        _ => Err(format!(
            "lies in bytes {start} to {} of a file of {size}: was it cut off?",
            start.saturating_add(length)
        )),
    }
}

/// Values by their place in a dictionary page; two numbers for one thing.
const BY_DICTIONARY: [i64; 2] = [2, 8];

/// Plain, and by dictionary.
/// Byte-stream split and packed differences are left out: the library (parquet 60.1) panics on damaged pages of them.
const ENCODINGS: [i64; 3] = [0, 2, 8];

/// Walks over the pages of a column; only headers are looked at, and gzip, which is unpacked and counted.
pub(super) fn check(input: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<()> {
    let (start, length) = range(column, input.len())?;
    let bytes = input
        .get_bytes(start, length)
        .map_err(|error| error.to_string())?;
    let mut rest: &[u8] = &bytes;
    let (mut values, mut dictionary) = (0u64, false);
    while !rest.is_empty() {
        let mut compact = Compact::new(rest);
        let page = header(&mut compact).map_err(|problem| format!("has a page that {problem}"))?;
        let body = &rest[rest.len() - compact.left()..];
        let packed = usize::try_from(page.packed)
            .ok()
            .filter(|packed| *packed <= body.len())
            .ok_or("has a page that is longer than the column")?;
        let (body, after) = body.split_at(packed);
        check_page(page, body, column)?;
        if matches!(page.kind, DATA | DATA_V2)
            && BY_DICTIONARY.contains(&page.encoding)
            && !dictionary
        {
            return Err("refers to a dictionary that is not there".to_owned());
        }
        dictionary |= page.kind == DICTIONARY;
        if matches!(page.kind, DATA | DATA_V2) {
            values += page.values as u64;
            if values > MAX_VALUES {
                return Err(format!("has more than {MAX_VALUES} values in a row group"));
            }
        }
        rest = after;
    }
    Ok(())
}

/// `PageHeader` of the format's Thrift file.
fn header(compact: &mut Compact<'_>) -> Result<Page> {
    let mut page = Page {
        kind: -1,
        ..Page::default()
    };
    compact.structure(|compact, number, kind| {
        match number {
            1 => page.kind = compact.integer(kind)?,
            2 => page.unpacked = compact.integer(kind)?,
            3 => page.packed = compact.integer(kind)?,
            5 | 7 | 8 if kind == STRUCT && page.described == 0 => {
                page.described = number;
                description(compact, &mut page)?;
            }
            5 | 7 | 8 => return Err("is described twice".to_owned()),
            _ => compact.skip(kind)?,
        }
        Ok(())
    })?;
    Ok(page)
}

/// `DataPageHeader`, `DictionaryPageHeader` or `DataPageHeaderV2`.
fn description(compact: &mut Compact<'_>, page: &mut Page) -> Result<()> {
    compact.structure(|compact, number, kind| {
        match (page.described, number) {
            (_, 1) => page.values = compact.integer(kind)?,
            (5 | 7, 2) | (8, 4) => page.encoding = compact.integer(kind)?,
            (8, 5) => page.levels[0] = compact.integer(kind)?,
            (8, 6) => page.levels[1] = compact.integer(kind)?,
            // A truth value is its type: 2 is false.
            (8, 7) => page.plain = kind == 2,
            _ => compact.skip(kind)?,
        }
        Ok(())
    })
}

fn check_page(page: Page, body: &[u8], column: &ColumnChunkMetaData) -> Result<()> {
    let counts = [page.unpacked, page.values, page.levels[0], page.levels[1]];
    if counts
        .iter()
        .any(|count| i32::try_from(*count).is_err() || *count < 0)
    {
        return Err("has a page with an impossible count".to_owned());
    }
    let (packed, unpacked) = (body.len() as u64, page.unpacked as u64);
    unpacks_to(packed, unpacked)?;
    if !matches!(
        (page.kind, page.described),
        (DATA, 5) | (DICTIONARY, 7) | (DATA_V2, 8)
    ) {
        return Err("has a page that is not described as what it is".to_owned());
    }
    if !ENCODINGS.contains(&page.encoding) {
        return Err(
            "has pages in an encoding that is not read here: write it plain or with a dictionary"
                .to_owned(),
        );
    }
    let levels = (page.levels[0] + page.levels[1]) as u64;
    if levels > unpacked || levels > packed {
        return Err("has a page whose levels are longer than itself".to_owned());
    }
    if page.values as u64 > MAX_VALUES {
        return Err(format!("has a page of more than {MAX_VALUES} values"));
    }
    let width = match column.column_type() {
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        _ => 0,
    };
    if page.kind == DICTIONARY && page.values as u64 * width > unpacked {
        return Err("has a dictionary that is shorter than it says".to_owned());
    }
    let body = if page.kind == DATA_V2 {
        &body[levels as usize..]
    } else {
        body
    };
    match column.compression() {
        Compression::UNCOMPRESSED if packed != unpacked => {
            Err("has a page of two sizes without compression".to_owned())
        }
        _ if page.plain && packed != unpacked => {
            Err("has a page of two sizes without compression".to_owned())
        }
        Compression::GZIP(_) if !page.plain => {
            let wanted = if page.kind == DATA_V2 {
                unpacked - levels
            } else {
                unpacked
            };
            check_gzip(body, wanted)
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

//! Checks the footer of a Parquet file before the library reads it.
//!
//! The library (parquet 60.1) recurses over the schema without a limit, allocates the number of children that a node
//! states, and skips over a list of any stated length.

use std::io::Read;

use parquet::file::reader::ChunkReader;

use super::thrift::{self, Result};
use crate::source;

/// Maximum size of a footer [bytes]: it describes columns, not samples.
const MAX_FOOTER: u64 = 8 << 20;

/// Maximum number of nodes of a schema, and of nodes with children, which limits the nesting depth.
const MAX_NODES: i64 = 4096;
const MAX_GROUPS: usize = 256;

/// Minimum file size: magic, footer length, magic.
const LEAST: u64 = 12;

/// Field path of the number of children: `FileMetaData.schema`, `SchemaElement.num_children`.
const NUM_CHILDREN: [i16; 2] = [2, 5];

/// Refuses Parquet files without a footer, and footers that make the library fail.
///
/// # Errors
/// Describes the problem; to be appended to the file's name.
pub fn check(input: &impl ChunkReader) -> Result<()> {
    let size = input.len();
    let head = bytes(input, 0, size.min(4096))?;
    if !head.starts_with(b"PAR1") {
        return Err(if head.starts_with(b"PARE") {
            "is encrypted: decrypt it first".to_owned()
        } else {
            let what = source::looks_like(&head).unwrap_or("something else");
            format!("is not a Parquet file but {what}")
        });
    }
    let tail = bytes(input, size.saturating_sub(8), size.min(8))?;
    let Some([a, b, c, d]) = tail.strip_suffix(b"PAR1").filter(|_| size >= LEAST) else {
        return Err(format!(
            "is cut off: its {size} bytes do not end as a Parquet file does"
        ));
    };
    let length = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
    if length > MAX_FOOTER.min(size - LEAST) {
        return Err(format!(
            "has a footer of {length} bytes, in a file of {size}; a log's has at most {MAX_FOOTER}"
        ));
    }
    let footer = bytes(input, size - 8 - length, length)?;
    let (mut nodes, mut groups) = (1, 0);
    let checked = thrift::walk(&footer, &mut |path, value| {
        if path == NUM_CHILDREN && value != 0 {
            groups += 1;
            nodes += value.clamp(-1, MAX_NODES);
            if value < 0 || nodes > MAX_NODES || groups > MAX_GROUPS {
                return Err(format!(
                    "has a schema of more than {MAX_NODES} nodes or {MAX_GROUPS} groups"
                ));
            }
        }
        Ok(())
    });
    checked
        .map(|_| ())
        .map_err(|problem| format!("its footer {problem}"))
}

fn bytes(input: &impl ChunkReader, start: u64, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length as usize);
    input
        .get_read(start)
        .map_err(|error| error.to_string())?
        .take(length)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err("became shorter while it was read".to_owned())
    }
}

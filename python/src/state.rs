//! States as bytes: a heading, the content as JSON, and a checksum.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Result, SimulationError, value_error};

/// The first bytes of each state.
const MAGIC: &[u8; 14] = b"insonate state";

/// Version of the format.
const VERSION: u32 = 1;

/// Bytes of the checksum at the end.
const CHECKSUM: usize = 4;

/// `content` as bytes; `kind` names what it is a state of.
pub(crate) fn write(kind: &str, content: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    serde_json::to_writer(&mut bytes, &(kind, content))
        .map_err(|error| SimulationError::new_err(format!("the state: {error}")))?;
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    Ok(bytes)
}

/// The content of a state of this kind.
///
/// # Errors
/// `ValueError` if the bytes are no such state, are incomplete or changed.
pub(crate) fn read<T: DeserializeOwned>(kind: &str, bytes: &[u8]) -> Result<T> {
    let start = MAGIC.len() + size_of::<u32>();
    if bytes.len() < start + CHECKSUM || !bytes.starts_with(MAGIC) {
        return Err(value_error("the state is not one that insonate saved"));
    }
    let number = |part: &[u8]| part.try_into().map_or(0, u32::from_le_bytes);
    let version = number(&bytes[MAGIC.len()..start]);
    if version != VERSION {
        return Err(value_error(format!(
            "the state has format {version}, but this insonate reads format {VERSION}"
        )));
    }
    let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    if crc32c::crc32c(body) != number(checksum) {
        return Err(value_error(
            "the state is truncated or corrupt: its checksum is wrong",
        ));
    }
    let corrupt = |error: serde_json::Error| value_error(format!("the state is corrupt: {error}"));
    let (found, content): (String, serde_json::Value) =
        serde_json::from_slice(&body[start..]).map_err(corrupt)?;
    if found != kind {
        return Err(value_error(format!(
            "the state is of {found}, but must be of {kind}"
        )));
    }
    serde_json::from_value(content).map_err(corrupt)
}

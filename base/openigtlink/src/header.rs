//! The header of every message.
//!
//! | bytes | field |
//! |---|---|
//! | 2 | version: 1, or 2 for a body with an extended header and metadata |
//! | 12 | type, such as `TRANSFORM`, padded with zeros |
//! | 20 | device name, padded with zeros |
//! | 8 | time: seconds since 1970, and fraction in units of 2⁻³² s |
//! | 8 | size of the body |
//! | 8 | CRC-64 of the body |

use crate::ProtocolError;

/// Bytes of a header.
pub const HEADER_SIZE: usize = 58;

/// Longest name of a type, and of a device [bytes].
const TYPE_SIZE: usize = 12;
const NAME_SIZE: usize = 20;

/// A message's header.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// 1 or 2.
    pub version: u16,
    /// Type of the body.
    pub kind: String,
    /// Name of the sender; Slicer gives this name to the node.
    pub device: String,
    /// Time since 1970 [s].
    pub time: f64,
    /// Bytes of the body.
    pub body_size: u64,
    /// CRC-64 of the body.
    pub crc: u64,
}

impl Header {
    /// Encodes the header; names that are too long are cut.
    pub fn encode(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        let mut at = 0;
        let mut put = |field: &[u8], size: usize| {
            let n = field.len().min(size);
            bytes[at..at + n].copy_from_slice(&field[..n]);
            at += size;
        };
        put(&self.version.to_be_bytes(), 2);
        put(self.kind.as_bytes(), TYPE_SIZE);
        put(self.device.as_bytes(), NAME_SIZE);
        let seconds = self.time.max(0.0);
        put(&(seconds as u32).to_be_bytes(), 4);
        put(&((seconds.fract() * 2f64.powi(32)) as u32).to_be_bytes(), 4);
        put(&self.body_size.to_be_bytes(), 8);
        put(&self.crc.to_be_bytes(), 8);
        bytes
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// [`ProtocolError::Header`] for an unknown version, [`ProtocolError::Name`] for names that are not ASCII.
    pub fn decode(bytes: &[u8; HEADER_SIZE]) -> Result<Self, ProtocolError> {
        let number = |from: usize, n: usize| {
            let field = bytes[from..from + n].iter();
            field.fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        };
        let version = number(0, 2);
        if !(1..=2).contains(&version) {
            return Err(ProtocolError::Header {
                field: "version",
                value: version,
                allowed: "1 or 2",
            });
        }
        Ok(Self {
            version: version as u16,
            kind: name(&bytes[2..2 + TYPE_SIZE], "type")?,
            device: name(&bytes[14..14 + NAME_SIZE], "device name")?,
            time: number(34, 4) as f64 + number(38, 4) as f64 / 2f64.powi(32),
            body_size: number(42, 8),
            crc: number(50, 8),
        })
    }
}

/// Text up to the first zero.
fn name(bytes: &[u8], field: &'static str) -> Result<String, ProtocolError> {
    let end = bytes.iter().position(|byte| *byte == 0);
    let text = &bytes[..end.unwrap_or(bytes.len())];
    if !text.iter().all(|byte| (32..127).contains(byte)) {
        return Err(ProtocolError::Name { field });
    }
    Ok(text.iter().copied().map(char::from).collect())
}

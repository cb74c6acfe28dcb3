//! Whole messages: header and body.

use crate::header::Header;
use crate::{Image, PolyData, ProtocolError, Text, Transform, crc64};

/// Largest accepted body of a client's message [bytes]: a transform has 48, and metadata rarely exceed a kilobyte.
pub const MAX_BODY: usize = 1 << 20;

/// Least size of an extended header (version 2) [bytes].
const EXTENDED: usize = 12;

/// Content of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Message<'a> {
    /// A pose.
    Transform(Transform),
    /// A picture.
    Image(Image<'a>),
    /// A surface.
    PolyData(PolyData<'a>),
    /// A text.
    Text(Text<'a>),
}

/// Encodes a message from a device at a time since 1970 [s].
pub fn encode(device: &str, time: f64, message: &Message<'_>) -> Vec<u8> {
    let (kind, body) = match message {
        Message::Transform(transform) => (Transform::KIND, transform.encode()),
        Message::Image(image) => (Image::KIND, image.encode()),
        Message::PolyData(surface) => (PolyData::KIND, surface.encode()),
        Message::Text(text) => (Text::KIND, text.encode()),
    };
    let header = Header {
        version: 1,
        kind: kind.to_owned(),
        device: device.to_owned(),
        time,
        body_size: body.len() as u64,
        crc: crc64(&body),
    };
    let mut bytes = header.encode().to_vec();
    bytes.extend(body);
    bytes
}

/// The transform in a body; `None` for a message of another type, whose body is not decoded.
///
/// # Errors
/// [`ProtocolError`] for a wrong length, checksum, extended header or matrix.
pub fn decode(header: &Header, body: &[u8]) -> Result<Option<Transform>, ProtocolError> {
    if body.len() as u64 != header.body_size {
        return Err(ProtocolError::Length {
            expected: usize::try_from(header.body_size).unwrap_or(usize::MAX),
            found: body.len(),
        });
    }
    let found = crc64(body);
    if found != header.crc {
        return Err(ProtocolError::Checksum {
            expected: header.crc,
            found,
        });
    }
    if header.kind != Transform::KIND {
        return Ok(None);
    }
    let content = match header.version {
        1 => body,
        _ => content(body)?,
    };
    Transform::decode(content).map(Some)
}

/// The body without extended header and metadata.
fn content(body: &[u8]) -> Result<&[u8], ProtocolError> {
    let refuse = || ProtocolError::Body {
        kind: Transform::KIND,
        problem: "has an extended header that is longer than the body".to_owned(),
    };
    let extended = body.get(..EXTENDED).ok_or_else(refuse)?;
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let start = number(&extended[..2]);
    let metadata = number(&extended[2..4]) + number(&extended[4..8]);
    let end = body.len().checked_sub(metadata).ok_or_else(refuse)?;
    body.get(start..end)
        .filter(|_| start >= EXTENDED)
        .ok_or_else(refuse)
}

/// Refuses a body that is too large before memory is allocated for it.
pub(crate) fn body_size(header: &Header) -> Result<usize, ProtocolError> {
    usize::try_from(header.body_size)
        .ok()
        .filter(|size| *size <= MAX_BODY)
        .ok_or(ProtocolError::Header {
            field: "body size",
            value: header.body_size,
            allowed: "at most 1 MiB",
        })
}

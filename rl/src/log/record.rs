//! TensorBoard's records: TFRecord framing around `tensorflow.Event` messages.
//!
//! A record is `length: u64, crc(length): u32, message, crc(message): u32`, little-endian, with the masked CRC-32C of
//! `tensorflow/core/lib/hash/crc32c.h`. These fields of the messages in `tensorflow/core/util/event.proto` and `summary.proto` are used:
//! Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; SessionLog session_log = 7; },
//! Summary { repeated Value value = 1; }, Value { string tag = 1; float simple_value = 2; }, SessionLog { SessionStatus status = 1; }.

use crate::protobuf::Message;

/// `SessionLog.status` of a session start: TensorBoard discards events of earlier files from its step on.
const START: i64 = 1;

/// An event of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Event<'a> {
    /// The first event of every file.
    FileVersion,
    /// A resume. Earlier events from this step on are discarded.
    SessionStart,
    /// Scalars with their tags. NaN values are skipped.
    Scalars(&'a [(String, f64)]),
}

/// One framed event.
pub(super) fn record(wall_time: f64, step: u64, event: Event<'_>) -> Vec<u8> {
    let message = Message::default()
        .double(1, wall_time)
        .integer(2, step as i64);
    let message = match event {
        Event::FileVersion => message.bytes(3, "brain.Event:2"),
        Event::SessionStart => message.message(7, Message::default().integer(1, START)),
        Event::Scalars(scalars) => {
            let known = scalars.iter().filter(|(_, number)| !number.is_nan());
            let values = known
                .map(|(tag, number)| Message::default().bytes(1, tag).float(2, *number as f32));
            message.message(5, Message::default().messages(1, values))
        }
    };
    framed(&message.into_bytes())
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u64).to_le_bytes();
    let mut record = Vec::with_capacity(message.len() + 16);
    record.extend(length);
    record.extend(masked_crc(&length).to_le_bytes());
    record.extend(message);
    record.extend(masked_crc(message).to_le_bytes());
    record
}

fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_masked_castagnoli_one() {
        // RFC 3720, B.4: 32 bytes of zero.
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(
            masked_crc(&[0; 32]),
            0x8a91_36aa_u32.rotate_right(15).wrapping_add(0xa282_ead8)
        );
    }
}

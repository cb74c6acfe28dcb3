//! TensorBoard's records: TFRecord framing around `tensorflow.Event` messages, written by hand.
//!
//! A record is `length: u64, crc(length): u32, message, crc(message): u32`, little-endian, with the masked CRC-32C of
//! `tensorflow/core/lib/hash/crc32c.h`. Of the messages in `tensorflow/core/util/event.proto` and `summary.proto` these fields are used:
//! Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; SessionLog session_log = 7; },
//! Summary { repeated Value value = 1; }, Value { string tag = 1; float simple_value = 2; }, SessionLog { SessionStatus status = 1; }.

/// `SessionLog.status` of a session start: TensorBoard discards events of earlier files from its step on.
const START: u64 = 1;

/// An event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Event<'a> {
    /// The first event of every file.
    FileVersion,
    /// A resume; earlier events from this step on are void.
    SessionStart,
    /// Scalars with their tags; NaN is left out.
    Scalars(&'a [(String, f64)]),
}

/// One framed event.
pub(super) fn record(wall_time: f64, step: u64, event: Event<'_>) -> Vec<u8> {
    let mut message = Vec::new();
    put_double(&mut message, 1, wall_time);
    put_varint(&mut message, 2, step);
    match event {
        Event::FileVersion => put_bytes(&mut message, 3, b"brain.Event:2"),
        Event::SessionStart => {
            let mut session_log = Vec::new();
            put_varint(&mut session_log, 1, START);
            put_bytes(&mut message, 7, &session_log);
        }
        Event::Scalars(scalars) => {
            let mut summary = Vec::new();
            for (tag, number) in scalars.iter().filter(|(_, number)| !number.is_nan()) {
                let mut value = Vec::new();
                put_bytes(&mut value, 1, tag.as_bytes());
                put_float(&mut value, 2, *number as f32);
                put_bytes(&mut summary, 1, &value);
            }
            put_bytes(&mut message, 5, &summary);
        }
    }
    framed(&message)
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

// Fields of the protocol-buffer wire format: a key of number and wire type, then the content.

fn put_varint(message: &mut Vec<u8>, field: u64, number: u64) {
    varint(message, field << 3);
    varint(message, number);
}

fn put_double(message: &mut Vec<u8>, field: u64, number: f64) {
    varint(message, field << 3 | 1);
    message.extend(number.to_le_bytes());
}

fn put_bytes(message: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(message, field << 3 | 2);
    varint(message, bytes.len() as u64);
    message.extend(bytes);
}

fn put_float(message: &mut Vec<u8>, field: u64, number: f32) {
    varint(message, field << 3 | 5);
    message.extend(number.to_le_bytes());
}

/// Seven bits at a time, lowest first, the top bit set while more follow.
fn varint(message: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        message.push(number as u8 | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_coded_as_the_protocol_buffer_documents_show() {
        let mut message = Vec::new();
        put_varint(&mut message, 1, 150);
        put_bytes(&mut message, 2, b"testing");
        assert_eq!(message, b"\x08\x96\x01\x12\x07testing");
    }

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

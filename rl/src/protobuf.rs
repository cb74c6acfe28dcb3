//! Writer of Protobuf's wire format for TensorBoard's events and ONNX models (protobuf.dev, *Encoding*).
//!
//! It replaces a dependency: nothing is read, and six kinds of fields suffice.

/// A message under construction. Fields are written in the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

/// Wire types.
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH_DELIMITED: u64 = 2;
const FIXED_32: u64 = 5;

impl Message {
    /// Adds an integer or an enumeration.
    pub(crate) fn integer(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3 | VARINT);
        // The format encodes negative numbers with the maximum length.
        self.varint(value as u64);
        self
    }

    /// Adds a number in double precision.
    pub(crate) fn double(mut self, field: u64, value: f64) -> Self {
        self.varint(field << 3 | FIXED_64);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Adds a number in single precision.
    pub(crate) fn float(mut self, field: u64, value: f32) -> Self {
        self.varint(field << 3 | FIXED_32);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Adds bytes or UTF-8 text.
    pub(crate) fn bytes(mut self, field: u64, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(value.len() as u64);
        self.bytes.extend(value);
        self
    }

    /// Adds a message.
    pub(crate) fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, message.bytes)
    }

    /// Adds the messages of a repeated field.
    pub(crate) fn messages(self, field: u64, messages: impl IntoIterator<Item = Self>) -> Self {
        let messages = messages.into_iter();
        messages.fold(self, |this, message| this.message(field, message))
    }

    /// The encoded message.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes seven bits per byte, lowest first. The eighth bit is set if more bytes follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_published_examples() {
        // protobuf.dev, Encoding: `Test1 { a: 150 }`, `Test2 { b: "testing" }`, `Test3 { c { a: 150 } }`, and -2 as int64.
        let number = Message::default().integer(1, 150);
        assert_eq!(number.bytes, [0x08, 0x96, 0x01]);
        let text = Message::default().bytes(2, "testing");
        assert_eq!(text.bytes[..2], [0x12, 0x07]);
        let nested = Message::default().message(3, number);
        assert_eq!(nested.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let negative = Message::default().integer(1, -2);
        assert_eq!(
            negative.bytes[1..],
            [0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1]
        );
        let float = Message::default().float(5, 1.0);
        assert_eq!(float.bytes, [0x2d, 0, 0, 0x80, 0x3f]);
    }
}

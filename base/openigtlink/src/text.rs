//! STRING: a text.

/// IANA number of US-ASCII.
const ASCII: u16 = 3;

/// An ASCII text; other characters are sent as question marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a>(pub &'a str);

impl Text<'_> {
    /// Type of the message.
    pub const KIND: &'static str = "STRING";

    pub(crate) fn encode(&self) -> Vec<u8> {
        let as_byte = |letter: char| {
            u8::try_from(letter)
                .ok()
                .filter(u8::is_ascii)
                .unwrap_or(b'?')
        };
        let bytes: Vec<u8> = self
            .0
            .chars()
            .take(usize::from(u16::MAX))
            .map(as_byte)
            .collect();
        let mut body = ASCII.to_be_bytes().to_vec();
        body.extend((bytes.len() as u16).to_be_bytes());
        body.extend(bytes);
        body
    }
}

//! Text in encodings other than UTF-8: UTF-16 as written by Windows, and Latin-1.

use std::io::{self, Read};

/// Number of bytes decoded at a time.
const CHUNK: usize = 1 << 13;

/// Text as UTF-8, except for bytes of Latin-1, which are kept.
pub(super) enum Decoded<R> {
    Bytes(R),
    Utf16(Utf16<R>),
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Bytes(inner) => inner.read(buffer),
            Self::Utf16(inner) => inner.read(buffer),
        }
    }
}

/// UTF-16 as UTF-8.
pub(super) struct Utf16<R> {
    inner: R,
    little_endian: bool,
    /// First byte of an incomplete unit.
    odd: Option<u8>,
    /// First unit of a surrogate pair.
    high: Option<u16>,
    decoded: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(inner: R, little_endian: bool) -> Self {
        Self {
            inner,
            little_endian,
            odd: None,
            high: None,
            decoded: Vec::new(),
            at: 0,
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        for &byte in bytes {
            match self.odd.take() {
                None => self.odd = Some(byte),
                Some(first) if self.little_endian => units.push(u16::from_le_bytes([first, byte])),
                Some(first) => units.push(u16::from_be_bytes([first, byte])),
            }
        }
        if let Some(high) = units.pop_if(|unit| (0xd800..0xdc00).contains(unit)) {
            self.high = Some(high);
        }
        self.push(&units);
    }

    fn push(&mut self, units: &[u16]) {
        let mut utf8 = [0; 4];
        for character in char::decode_utf16(units.iter().copied()) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.decoded
                .extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.decoded.len() {
            self.at = 0;
            self.decoded.clear();
            let mut bytes = [0; CHUNK];
            let n = self.inner.read(&mut bytes)?;
            if n > 0 {
                self.decode(&bytes[..n]);
                continue;
            }
            // An incomplete character at the end is dropped.
            self.odd = None;
            match self.high.take() {
                Some(high) => self.push(&[high]),
                None => return Ok(0),
            }
        }
        let n = buffer.len().min(self.decoded.len() - self.at);
        buffer[..n].copy_from_slice(&self.decoded[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Text in UTF-8 or Latin-1, truncated to a number of characters.
pub(super) fn words(bytes: &[u8], most: usize) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().take(most).collect(),
        Err(_) => bytes
            .iter()
            .take(most)
            .map(|&byte| char::from(byte))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_is_decoded_in_whatever_pieces() {
        let text = "Zeit µ 𝄞;1\r\n".repeat(2000);
        for little_endian in [true, false] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|unit| {
                    if little_endian {
                        unit.to_le_bytes()
                    } else {
                        unit.to_be_bytes()
                    }
                })
                .collect();
            let mut decoded = String::new();
            Utf16::new(&*bytes, little_endian)
                .read_to_string(&mut decoded)
                .unwrap();
            assert_eq!(decoded, text);
            for cut in [0, 1, 13, 15, 17] {
                let mut decoded = String::new();
                let mut cut = Utf16::new(&bytes[..cut], little_endian);
                cut.read_to_string(&mut decoded).unwrap();
            }
        }
    }
}

//! CDR, the encoding of ROS 2's messages (DDS-XTypes 1.3, section 7.4, version 1): little-endian, each number aligned to its size.

/// Representation: plain CDR, little-endian.
const HEADER: [u8; 4] = [0, 1, 0, 0];

/// A message during encoding.
#[derive(Debug)]
pub(super) struct Cdr(Vec<u8>);

impl Cdr {
    pub(super) fn new() -> Self {
        Self(HEADER.to_vec())
    }

    fn put<const N: usize>(mut self, bytes: [u8; N]) -> Self {
        // Alignment counts from the end of the header.
        while !(self.0.len() - HEADER.len()).is_multiple_of(N) {
            self.0.push(0);
        }
        self.0.extend(bytes);
        self
    }

    pub(super) fn u32(self, number: u32) -> Self {
        self.put(number.to_le_bytes())
    }

    pub(super) fn f64(self, number: f64) -> Self {
        self.put(number.to_le_bytes())
    }

    /// A fixed number of numbers.
    pub(super) fn numbers(self, numbers: &[f64]) -> Self {
        numbers.iter().fold(self, |cdr, number| cdr.f64(*number))
    }

    /// A sequence of numbers with its length.
    pub(super) fn sequence(self, numbers: &[f64]) -> Self {
        self.u32(numbers.len() as u32).numbers(numbers)
    }

    /// Text with its length and a closing zero.
    pub(super) fn text(self, text: &str) -> Self {
        let mut cdr = self.u32(text.len() as u32 + 1);
        cdr.0.extend(text.as_bytes());
        cdr.0.push(0);
        cdr
    }

    /// Bytes with their length.
    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        let mut cdr = self.u32(bytes.len() as u32);
        cdr.0.extend(bytes);
        cdr
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_their_size() {
        let bytes = Cdr::new().u32(7).text("ab").f64(1.0).finish();
        let expected = [
            &[0, 1, 0, 0][..],
            &[7, 0, 0, 0],
            // Length with the zero; then 11 bytes are used, so five bytes fill up.
            &[3, 0, 0, 0, b'a', b'b', 0],
            &[0; 5],
            &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
        ];
        assert_eq!(bytes, expected.concat());
    }
}

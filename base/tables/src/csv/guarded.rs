//! Reader between a text and its rows: limits the length of a row and counts lines.

use std::io::{self, Read};

/// Maximum length of a row [bytes].
const MAX_ROW: usize = 1 << 20;

/// Fails if a row does not end within the limit: an unclosed quotation mark would otherwise use all memory. Also
/// determines the line of a byte.
pub(super) struct Guarded<R> {
    inner: R,
    /// Bytes read since the last row; the consumer of rows resets it.
    pub(super) starved: usize,
    /// Last chunk read.
    chunk: Vec<u8>,
    /// Number of bytes before the chunk.
    start: u64,
    /// Number of line ends before the chunk.
    lines: u64,
}

impl<R> Guarded<R> {
    /// Wraps bytes that follow a number of lines.
    pub(super) fn new(inner: R, lines: u64) -> Self {
        Self {
            inner,
            starved: 0,
            chunk: Vec::new(),
            start: 0,
            lines,
        }
    }

    /// The line, from 1, of the row that ends before a byte of the last chunk.
    pub(super) fn line_before(&self, byte: u64) -> u64 {
        let end = usize::try_from(byte.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let row = &self.chunk[..end.min(self.chunk.len())];
        self.lines + line_ends(row.strip_suffix(b"\n").unwrap_or(row)) + 1
    }
}

/// Counts in blocks that fit in a byte, which compilers vectorise.
fn line_ends(bytes: &[u8]) -> u64 {
    bytes
        .chunks(255)
        .map(|block| {
            u64::from(
                block
                    .iter()
                    .map(|&byte| u8::from(byte == b'\n'))
                    .sum::<u8>(),
            )
        })
        .sum()
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.starved > MAX_ROW {
            return Err(io::Error::other(
                "a row is longer than 1 MiB: is a quotation mark left open, or the file no text?",
            ));
        }
        let n = self.inner.read(buffer)?;
        if n > 0 {
            self.lines += line_ends(&self.chunk);
            self.start += self.chunk.len() as u64;
            self.chunk.clear();
            self.chunk.extend_from_slice(&buffer[..n]);
            self.starved += n;
        }
        Ok(n)
    }
}

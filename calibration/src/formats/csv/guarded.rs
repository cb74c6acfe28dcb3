//! Bytes of a text on their way to its rows: how long a row is, and in which line.

use std::io::{self, Read};

/// Longest row [bytes].
const MAX_ROW: usize = 1 << 20;

/// Ends with an error where no row ends for long: a quotation mark that is never closed would take all memory.
/// Also knows in which line a byte is.
pub(super) struct Guarded<R> {
    inner: R,
    /// Bytes handed out since the last row; the one who takes rows sets it back.
    pub(super) starved: usize,
    /// What was handed out last.
    chunk: Vec<u8>,
    /// Bytes before it.
    start: u64,
    /// Line ends before it.
    lines: u64,
}

impl<R> Guarded<R> {
    /// Wraps bytes that come after a number of lines.
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

/// In blocks that a byte can count, which compilers turn into vector instructions.
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

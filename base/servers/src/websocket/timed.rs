//! A stream that knows since when a message is incomplete.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

/// A stream with the time of the first byte after the last complete message.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) stream: TcpStream,
    pub(super) since: Option<Instant>,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buffer)?;
        if n > 0 {
            self.since.get_or_insert_with(Instant::now);
        }
        Ok(n)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

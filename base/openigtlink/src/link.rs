//! The protocol of a client's threads: one reads, and one writes.
//!
//! A message must be complete within a time limit. Only the last transform is kept, so that flooding does not fill memory.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use insonate_servers::{End, Protocol, Seat, is_wait, lock};

use crate::Transform;
use crate::header::{HEADER_SIZE, Header};
use crate::message::{body_size, decode};

/// Interval at which threads check whether to stop.
const POLL: Duration = Duration::from_millis(50);

/// The protocol with the last transform.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) target_device: String,
    pub(crate) greeting: Vec<u8>,
    pub(crate) target: Mutex<Option<Transform>>,
}

impl Protocol for Link {
    /// Everything that one call sends; poses, a camera's pictures and ultrasound are messages of their own.
    type Message = Arc<Vec<u8>>;
    type State = ();

    const NAME: &'static str = "openigtlink";
    const QUEUE: usize = 8;

    fn greeting(&self) -> Option<Self::Message> {
        (!self.greeting.is_empty()).then(|| Arc::new(self.greeting.clone()))
    }

    fn serve(&self, seat: &Seat<()>, stream: TcpStream, messages: &Receiver<Arc<Vec<u8>>>) -> End {
        let is_ready = stream.set_read_timeout(Some(POLL));
        let (Ok(()), Ok(reading)) = (is_ready, stream.try_clone()) else {
            return End::Refused;
        };
        seat.accept();
        thread::scope(|scope| {
            let reader = thread::Builder::new().spawn_scoped(scope, || {
                let end = self.read(seat, reading);
                seat.leave();
                end
            });
            let Ok(reader) = reader else {
                return End::Left;
            };
            let written = write(seat, stream, messages);
            seat.leave();
            match (written, reader.join()) {
                (End::Left, Ok(read)) => read,
                (written, _) => written,
            }
        })
    }
}

impl Link {
    /// Reads messages until the client leaves or sends an invalid one.
    fn read(&self, seat: &Seat<()>, mut stream: TcpStream) -> End {
        while !seat.is_over() {
            match self.read_message(seat, &mut stream) {
                Ok(true) => {}
                Ok(false) => return End::Left,
                Err(()) => return End::Dropped,
            }
        }
        End::Left
    }

    /// Reads one message; returns false at the end of the stream.
    fn read_message(&self, seat: &Seat<()>, stream: &mut TcpStream) -> Result<bool, ()> {
        let mut bytes = [0; HEADER_SIZE];
        // Silence before a message is allowed.
        let n = loop {
            match stream.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(n) => break n,
                Err(error) if is_wait(error.kind()) && !seat.is_over() => {}
                Err(_) => return Ok(false),
            }
        };
        let deadline = Instant::now() + seat.limits.message_timeout;
        fill(stream, &mut bytes[n..], deadline)?;
        let header = Header::decode(&bytes).map_err(|_| ())?;
        let mut body = vec![0; body_size(&header).map_err(|_| ())?];
        fill(stream, &mut body, deadline)?;
        let transform = decode(&header, &body).map_err(|_| ())?;
        if let Some(transform) = transform.filter(|_| header.device == self.target_device) {
            *lock(&self.target) = Some(transform);
            seat.counters.taken.count();
        }
        Ok(true)
    }
}

/// Sends what waits for the client until it leaves or stops reading.
fn write(seat: &Seat<()>, mut stream: TcpStream, messages: &Receiver<Arc<Vec<u8>>>) -> End {
    while !seat.is_over() {
        let Ok(message) = messages.recv_timeout(POLL) else {
            continue;
        };
        if let Err(error) = stream.write_all(&message) {
            return if is_wait(error.kind()) {
                End::Dropped
            } else {
                End::Left
            };
        }
    }
    End::Left
}

/// Fills a buffer before the deadline.
fn fill(stream: &mut TcpStream, mut rest: &mut [u8], deadline: Instant) -> Result<(), ()> {
    while !rest.is_empty() {
        match stream.read(rest) {
            Ok(0) => return Err(()),
            Ok(n) => rest = &mut rest[n..],
            Err(error) if is_wait(error.kind()) => {}
            Err(_) => return Err(()),
        }
        if Instant::now() > deadline {
            return Err(());
        }
    }
    Ok(())
}

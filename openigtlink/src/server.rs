//! The server: an accepting thread, and two threads for each client, one that reads and one that writes.
//!
//! The sender never waits: a client that is behind loses frames, and one that takes nothing for a while loses its connection.
//! A message that has begun must be whole soon; of transforms only the last one is kept, so that flooding fills no memory.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::header::{HEADER_SIZE, Header};
use crate::message::{body_size, decode};
use crate::{ProtocolError, Transform};

/// How often threads look whether they shall end.
const POLL: Duration = Duration::from_millis(50);

/// Frames that wait for a client; a frame is all that is sent at once, and pictures come between those of the simulation.
const QUEUE: usize = 4;

/// Limits of what clients may do.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Most clients at a time; others are turned away.
    pub max_clients: usize,
    /// Longest time from the first byte of a message to its last one.
    pub message_timeout: Duration,
    /// Longest time that a client may take nothing.
    pub write_timeout: Duration,
    /// Device whose transforms are kept.
    pub target_device: String,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            max_clients: 4,
            message_timeout: Duration::from_secs(2),
            write_timeout: Duration::from_secs(2),
            target_device: "Target".to_owned(),
        }
    }
}

/// What has gone over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Clients that are connected.
    pub n_clients: u64,
    /// Clients that ever were.
    pub n_accepted: u64,
    /// Clients that were turned away, as there were too many.
    pub n_refused: u64,
    /// Clients that were dropped for what they sent, or for not reading.
    pub n_dropped: u64,
    /// Frames sent, over all clients.
    pub n_frames: u64,
    /// Frames that clients lost, being behind.
    pub n_lost: u64,
    /// Transforms taken.
    pub n_targets: u64,
}

#[derive(Debug, Default)]
struct Counters {
    accepted: AtomicU64,
    refused: AtomicU64,
    dropped: AtomicU64,
    frames: AtomicU64,
    lost: AtomicU64,
    targets: AtomicU64,
}

/// What the threads share.
#[derive(Debug)]
struct Shared {
    config: ServerConfig,
    is_over: AtomicBool,
    clients: Mutex<Vec<Client>>,
    target: Mutex<Option<Transform>>,
    counters: Counters,
}

#[derive(Debug)]
struct Client {
    frames: SyncSender<Arc<Vec<u8>>>,
    stream: TcpStream,
    is_gone: Arc<AtomicBool>,
}

/// A server; it ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens; port 0 takes any free one.
    ///
    /// # Errors
    /// [`ProtocolError::Listen`].
    pub fn listen(address: SocketAddr, config: ServerConfig) -> Result<Self, ProtocolError> {
        let failed = |source| ProtocolError::Listen {
            address: address.to_string(),
            source,
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(Shared {
            config,
            is_over: AtomicBool::new(false),
            clients: Mutex::new(Vec::new()),
            target: Mutex::new(None),
            counters: Counters::default(),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            let work = move || shared.accept(&listener);
            thread::Builder::new()
                .name("openigtlink".to_owned())
                .spawn(work)
        };
        Ok(Self {
            shared,
            address: bound,
            accepting: Some(accepting.map_err(failed)?),
        })
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends messages, already encoded, to all clients; waits for none.
    pub fn send(&self, frame: Vec<u8>) {
        let frame = Arc::new(frame);
        let counters = &self.shared.counters;
        let mut clients = lock(&self.shared.clients);
        clients.retain(|client| {
            if client.is_gone.load(Ordering::Relaxed) {
                return false;
            }
            match client.frames.try_send(Arc::clone(&frame)) {
                Ok(()) => counters.frames.fetch_add(1, Ordering::Relaxed),
                Err(TrySendError::Full(_)) => counters.lost.fetch_add(1, Ordering::Relaxed),
                Err(TrySendError::Disconnected(_)) => return false,
            };
            true
        });
    }

    /// The last transform that came since this was asked.
    pub fn take_target(&self) -> Option<Transform> {
        lock(&self.shared.target).take()
    }

    /// What has gone over the wire.
    pub fn traffic(&self) -> Traffic {
        let counters = &self.shared.counters;
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let clients = lock(&self.shared.clients);
        let present = clients
            .iter()
            .filter(|client| !client.is_gone.load(Ordering::Relaxed));
        Traffic {
            n_clients: present.count() as u64,
            n_accepted: of(&counters.accepted),
            n_refused: of(&counters.refused),
            n_dropped: of(&counters.dropped),
            n_frames: of(&counters.frames),
            n_lost: of(&counters.lost),
            n_targets: of(&counters.targets),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        for client in lock(&self.shared.clients).drain(..) {
            let _ = client.stream.shutdown(std::net::Shutdown::Both);
        }
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Shared {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        while !self.is_over.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((stream, _)) => self.welcome(stream),
                Err(_) => thread::sleep(POLL),
            }
        }
    }

    /// Gives a client its threads, or turns it away.
    fn welcome(self: &Arc<Self>, stream: TcpStream) {
        let mut clients = lock(&self.clients);
        clients.retain(|client| !client.is_gone.load(Ordering::Relaxed));
        if clients.len() >= self.config.max_clients {
            self.counters.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let (sender, frames) = sync_channel(QUEUE);
        let is_gone = Arc::new(AtomicBool::new(false));
        let Ok(client) = self.begin(stream, frames, &is_gone, sender) else {
            self.counters.refused.fetch_add(1, Ordering::Relaxed);
            return;
        };
        clients.push(client);
        self.counters.accepted.fetch_add(1, Ordering::Relaxed);
    }

    fn begin(
        self: &Arc<Self>,
        stream: TcpStream,
        frames: Receiver<Arc<Vec<u8>>>,
        is_gone: &Arc<AtomicBool>,
        sender: SyncSender<Arc<Vec<u8>>>,
    ) -> std::io::Result<Client> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(POLL))?;
        stream.set_write_timeout(Some(self.config.write_timeout))?;
        let (reading, writing) = (stream.try_clone()?, stream.try_clone()?);
        let (shared, gone) = (Arc::clone(self), Arc::clone(is_gone));
        thread::Builder::new().spawn(move || shared.read(reading, &gone))?;
        let (shared, gone) = (Arc::clone(self), Arc::clone(is_gone));
        thread::Builder::new().spawn(move || shared.write(writing, &frames, &gone))?;
        Ok(Client {
            frames: sender,
            stream,
            is_gone: Arc::clone(is_gone),
        })
    }

    /// Takes messages until the client goes or sends nonsense.
    fn read(&self, mut stream: TcpStream, is_gone: &AtomicBool) {
        let is_over = || self.is_over.load(Ordering::Relaxed) || is_gone.load(Ordering::Relaxed);
        while !is_over() {
            match self.read_message(&mut stream, &is_over) {
                Ok(true) => {}
                Ok(false) => break,
                Err(()) => {
                    self.counters.dropped.fetch_add(1, Ordering::Relaxed);
                    break;
                }
            }
        }
        end(&stream, is_gone);
    }

    /// One message; false at the end of the stream.
    fn read_message(&self, stream: &mut TcpStream, is_over: &dyn Fn() -> bool) -> Result<bool, ()> {
        let mut bytes = [0; HEADER_SIZE];
        // Silence before a message is no fault.
        let n = loop {
            match stream.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(n) => break n,
                Err(error) if is_wait(&error) && !is_over() => {}
                Err(_) => return Ok(false),
            }
        };
        let deadline = Instant::now() + self.config.message_timeout;
        fill(stream, &mut bytes[n..], deadline)?;
        let header = Header::decode(&bytes).map_err(|_| ())?;
        let mut body = vec![0; body_size(&header).map_err(|_| ())?];
        fill(stream, &mut body, deadline)?;
        let transform = decode(&header, &body).map_err(|_| ())?;
        if let Some(transform) = transform.filter(|_| header.device == self.config.target_device) {
            *lock(&self.target) = Some(transform);
            self.counters.targets.fetch_add(1, Ordering::Relaxed);
        }
        Ok(true)
    }

    fn write(&self, mut stream: TcpStream, frames: &Receiver<Arc<Vec<u8>>>, is_gone: &AtomicBool) {
        while !self.is_over.load(Ordering::Relaxed) && !is_gone.load(Ordering::Relaxed) {
            let Ok(frame) = frames.recv_timeout(POLL) else {
                continue;
            };
            if let Err(error) = stream.write_all(&frame) {
                if is_wait(&error) {
                    self.counters.dropped.fetch_add(1, Ordering::Relaxed);
                }
                break;
            }
        }
        end(&stream, is_gone);
    }
}

/// Reads all of a buffer before the deadline.
fn fill(stream: &mut TcpStream, mut rest: &mut [u8], deadline: Instant) -> Result<(), ()> {
    while !rest.is_empty() {
        match stream.read(rest) {
            Ok(0) => return Err(()),
            Ok(n) => rest = &mut rest[n..],
            Err(error) if is_wait(&error) => {}
            Err(_) => return Err(()),
        }
        if Instant::now() > deadline {
            return Err(());
        }
    }
    Ok(())
}

/// Both threads of a client end with it.
fn end(stream: &TcpStream, is_gone: &AtomicBool) {
    is_gone.store(true, Ordering::Relaxed);
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

fn is_wait(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// What a panicking thread left behind is still whole: every change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

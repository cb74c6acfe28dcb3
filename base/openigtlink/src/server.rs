//! The server: an accepting thread, and a reading and a writing thread for each client.
//!
//! The sender never waits: a slow client loses frames, and a client that does not read for a while is disconnected.
//! A message must be complete within a time limit. Only the last transform is kept, so that flooding does not fill memory.

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

/// Interval at which threads check whether to stop.
const POLL: Duration = Duration::from_millis(50);

/// Frames that wait for a client. A frame is everything that one call sends; poses, a camera's pictures and ultrasound are frames of their
/// own.
const QUEUE: usize = 8;

/// Limits of clients.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Largest number of clients; further clients are refused.
    pub max_clients: usize,
    /// Longest time from the first byte of a message to its last one.
    pub message_timeout: Duration,
    /// Longest time that a client may stop reading.
    pub write_timeout: Duration,
    /// Name of the device whose transforms are kept.
    pub target_device: String,
    /// Encoded messages that each client receives first; empty for none.
    pub greeting: Vec<u8>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            max_clients: 4,
            message_timeout: Duration::from_secs(2),
            write_timeout: Duration::from_secs(2),
            target_device: "Target".to_owned(),
            greeting: Vec::new(),
        }
    }
}

/// Counters of the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Connected clients.
    pub n_clients: u64,
    /// Clients that ever connected.
    pub n_accepted: u64,
    /// Clients that were refused, as there were too many.
    pub n_refused: u64,
    /// Clients that were dropped for invalid messages or for not reading.
    pub n_dropped: u64,
    /// Frames sent, over all clients.
    pub n_frames: u64,
    /// Frames that slow clients lost.
    pub n_lost: u64,
    /// Received transforms.
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

/// State that the threads share.
#[derive(Debug)]
struct ServerState {
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

/// A server; dropping it stops it.
#[derive(Debug)]
pub struct Server {
    shared: Arc<ServerState>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts listening; port 0 selects a free port.
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
        let shared = Arc::new(ServerState {
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

    /// Sends encoded messages to all clients, without waiting.
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

    /// The last transform since the previous call.
    pub fn take_target(&self) -> Option<Transform> {
        lock(&self.shared.target).take()
    }

    /// Counters of the traffic.
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

impl ServerState {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        while !self.is_over.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((stream, _)) => self.welcome(stream),
                Err(_) => thread::sleep(POLL),
            }
        }
    }

    /// Starts the threads of a client, or refuses it.
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
        if !self.config.greeting.is_empty() {
            // The queue of a new client is empty.
            let _ = client
                .frames
                .try_send(Arc::new(self.config.greeting.clone()));
        }
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

    /// Reads messages until the client leaves or sends an invalid one.
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

    /// Reads one message; returns false at the end of the stream.
    fn read_message(&self, stream: &mut TcpStream, is_over: &dyn Fn() -> bool) -> Result<bool, ()> {
        let mut bytes = [0; HEADER_SIZE];
        // Silence before a message is allowed.
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

/// Fills a buffer before the deadline.
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

/// Stops both threads of a client.
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

/// Ignores poisoning: every change is a single assignment, so the data is valid even after a panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

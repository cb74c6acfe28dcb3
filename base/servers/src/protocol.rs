//! What distinguishes servers: what a client's thread does.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Counters;

/// Limits of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest number of clients; further clients are refused.
    pub max_clients: usize,
    /// Longest time from the first byte of a message to its last one, and of an opening handshake.
    pub message_timeout: Duration,
    /// Longest time that a client may stop reading.
    pub write_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_clients: 4,
            message_timeout: Duration::from_secs(2),
            write_timeout: Duration::from_secs(2),
        }
    }
}

/// How the connection of a client ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its opening handshake failed.
    Refused,
    /// It left, or the server ended.
    Left,
    /// It broke a rule.
    Dropped,
}

/// A protocol of a server.
pub trait Protocol: Send + Sync + Sized + 'static {
    /// What the sender puts into the queue of a client.
    type Message: Send + 'static;
    /// What the sender and the client's thread share.
    type State: Default + Send + Sync + 'static;

    /// Name of the accepting thread.
    const NAME: &'static str;

    /// Messages that wait for a client.
    const QUEUE: usize;

    /// What a new client's queue begins with.
    fn greeting(&self) -> Option<Self::Message> {
        None
    }

    /// Serves a client on its thread until it leaves, breaks a rule, or [`Seat::is_over`].
    fn serve(
        &self,
        seat: &Seat<Self::State>,
        stream: TcpStream,
        messages: &Receiver<Self::Message>,
    ) -> End;
}

/// The place of a client, as its thread sees it.
#[derive(Debug)]
pub struct Seat<S> {
    /// What the sender and the client's thread share.
    pub state: S,
    /// Limits of clients.
    pub limits: Limits,
    /// Counters of the server.
    pub counters: Arc<Counters>,
    pub(crate) is_over: Arc<AtomicBool>,
    pub(crate) is_gone: AtomicBool,
}

impl<S> Seat<S> {
    /// Whether the client's thread shall end.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.is_gone()
    }

    /// Counts a client whose handshake has succeeded.
    pub fn accept(&self) {
        self.counters.accepted.count();
    }

    /// Ends the client's threads.
    pub fn leave(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }
}

/// Whether an error only says that a time limit has passed.
pub fn is_wait(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// Ignores poisoning: every change of what servers share leaves it valid, even after a panic.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! What the threads of a server share.

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::config::ServerConfig;

/// The last message that clients published on a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Name of the topic.
    pub topic: String,
    /// The message.
    pub message: Value,
}

/// Counters of [`Traffic`](crate::Traffic).
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) accepted: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) commands: AtomicU64,
    pub(crate) invalid: AtomicU64,
}

/// State that the threads share.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) config: ServerConfig,
    pub(crate) is_over: AtomicBool,
    pub(crate) counters: Counters,
    pub(crate) clients: Mutex<Vec<Client>>,
    /// At most one for each topic, in the order of their arrival.
    pub(crate) commands: Mutex<Vec<Command>>,
}

impl ServerState {
    /// Keeps a message of a client in place of an earlier one on its topic.
    pub(crate) fn take(&self, command: Command) {
        let mut commands = lock(&self.commands);
        commands.retain(|earlier| earlier.topic != command.topic);
        commands.push(command);
        self.counters.commands.fetch_add(1, Ordering::Relaxed);
    }
}

/// A client as the sender sees it.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) messages: SyncSender<Arc<str>>,
    pub(crate) stream: TcpStream,
    pub(crate) state: Arc<ClientState>,
}

/// What the sender and the client's thread share.
#[derive(Debug, Default)]
pub(crate) struct ClientState {
    pub(crate) is_gone: AtomicBool,
    pub(crate) subscriptions: Mutex<HashMap<String, Subscription>>,
}

/// A topic that a client wants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subscription {
    pub(crate) throttle: Duration,
    pub(crate) last: Option<Instant>,
}

impl Subscription {
    /// Whether a message is due; the time of one that is due is kept.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self
            .last
            .is_none_or(|last| now.duration_since(last) >= self.throttle);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}

/// Ignores poisoning: every change leaves the data valid, even after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

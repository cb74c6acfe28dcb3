//! The server: an accepting thread, and a thread for each client.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client;
use crate::config::ServerConfig;
use crate::state::{Client, ClientState, Command, Counters, ServerState, lock};

/// Interval at which the accepting thread checks whether to stop.
const POLL: Duration = Duration::from_millis(50);

/// Messages that wait for a client.
const QUEUE: usize = 64;

/// Counters of the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Connected clients.
    pub n_clients: u64,
    /// Clients that ever connected.
    pub n_accepted: u64,
    /// Clients that were refused, as there were too many or their handshake failed.
    pub n_refused: u64,
    /// Clients that were dropped for broken frames, slow messages or for not reading.
    pub n_dropped: u64,
    /// Messages queued for all clients.
    pub n_messages: u64,
    /// Messages that slow clients lost.
    pub n_lost: u64,
    /// Messages taken from clients.
    pub n_commands: u64,
    /// Messages of clients that were not understood.
    pub n_invalid: u64,
}

/// The server cannot listen on a port.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {source}")]
pub struct ListenError {
    /// Address and port.
    pub address: String,
    /// Cause.
    pub source: std::io::Error,
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
    /// [`ListenError`].
    pub fn listen(address: SocketAddr, config: ServerConfig) -> Result<Self, ListenError> {
        let failed = |source| ListenError {
            address: address.to_string(),
            source,
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(ServerState {
            config,
            is_over: AtomicBool::new(false),
            counters: Counters::default(),
            clients: Mutex::new(Vec::new()),
            commands: Mutex::new(Vec::new()),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            let work = move || shared.accept(&listener);
            thread::Builder::new()
                .name("rosbridge".to_owned())
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

    /// Sends a message to the clients that subscribe to a topic, without waiting. It is made only if one of them is due.
    pub fn publish(&self, topic: &str, make: impl FnOnce() -> Value) {
        let counters = &self.shared.counters;
        let now = Instant::now();
        let mut clients = lock(&self.shared.clients);
        clients.retain(|client| !client.state.is_gone.load(Ordering::Relaxed));
        let is_due = |client: &&Client| {
            let mut subscriptions = lock(&client.state.subscriptions);
            let subscription = subscriptions.get_mut(topic);
            subscription.is_some_and(|subscription| subscription.is_due(now))
        };
        let due: Vec<&Client> = clients.iter().filter(is_due).collect();
        if due.is_empty() {
            return;
        }
        let text = json!({ "op": "publish", "topic": topic, "msg": make() }).to_string();
        let text: Arc<str> = text.into();
        for client in due {
            match client.messages.try_send(Arc::clone(&text)) {
                Ok(()) => counters.messages.fetch_add(1, Ordering::Relaxed),
                Err(TrySendError::Full(_)) => counters.lost.fetch_add(1, Ordering::Relaxed),
                Err(TrySendError::Disconnected(_)) => 0,
            };
        }
    }

    /// The last message of each topic since the previous call, in the order of their arrival.
    pub fn take_commands(&self) -> Vec<Command> {
        std::mem::take(&mut *lock(&self.shared.commands))
    }

    /// Counters of the traffic.
    pub fn traffic(&self) -> Traffic {
        let counters = &self.shared.counters;
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let clients = lock(&self.shared.clients);
        let present = clients
            .iter()
            .filter(|client| !client.state.is_gone.load(Ordering::Relaxed));
        Traffic {
            n_clients: present.count() as u64,
            n_accepted: of(&counters.accepted),
            n_refused: of(&counters.refused),
            n_dropped: of(&counters.dropped),
            n_messages: of(&counters.messages),
            n_lost: of(&counters.lost),
            n_commands: of(&counters.commands),
            n_invalid: of(&counters.invalid),
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

    /// Starts the thread of a client, or refuses it.
    fn welcome(self: &Arc<Self>, stream: TcpStream) {
        let mut clients = lock(&self.clients);
        clients.retain(|client| !client.state.is_gone.load(Ordering::Relaxed));
        let is_full = clients.len() >= self.config.max_clients;
        let client = (!is_full).then(|| self.begin(stream));
        match client {
            Some(Ok(client)) => clients.push(client),
            _ => {
                self.counters.refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn begin(self: &Arc<Self>, stream: TcpStream) -> std::io::Result<Client> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(client::POLL))?;
        stream.set_write_timeout(Some(self.config.write_timeout))?;
        let (sender, messages) = sync_channel(QUEUE);
        let state = Arc::new(ClientState::default());
        let own = stream.try_clone()?;
        let (shared, client_state) = (Arc::clone(self), Arc::clone(&state));
        thread::Builder::new()
            .spawn(move || client::serve(&shared, &client_state, own, &messages))?;
        Ok(Client {
            messages: sender,
            stream,
            state,
        })
    }
}

//! The threads of a server: one that accepts clients, and one for each client.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::{Counters, End, Limits, Protocol, Seat, Traffic, lock};

/// Interval at which the accepting thread checks whether to stop.
const POLL: Duration = Duration::from_millis(50);

/// The server cannot listen on a port.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {source}")]
pub struct ListenError {
    /// Address and port.
    pub address: String,
    /// Cause.
    pub source: std::io::Error,
}

/// State that the threads share.
struct HubState<P: Protocol> {
    protocol: P,
    limits: Limits,
    is_over: Arc<AtomicBool>,
    counters: Arc<Counters>,
    clients: Mutex<Vec<Client<P>>>,
}

/// A client as the sender sees it.
struct Client<P: Protocol> {
    messages: SyncSender<P::Message>,
    stream: TcpStream,
    seat: Arc<Seat<P::State>>,
}

/// A running server; dropping it stops it.
pub struct Hub<P: Protocol> {
    shared: Arc<HubState<P>>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl<P: Protocol> std::fmt::Debug for Hub<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl<P: Protocol> Hub<P> {
    /// Starts listening; port 0 selects a free port.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn listen(address: SocketAddr, limits: Limits, protocol: P) -> Result<Self, ListenError> {
        let failed = |source| ListenError {
            address: address.to_string(),
            source,
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(HubState {
            protocol,
            limits,
            is_over: Arc::new(AtomicBool::new(false)),
            counters: Arc::new(Counters::default()),
            clients: Mutex::new(Vec::new()),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            let work = move || shared.accept(&listener);
            thread::Builder::new().name(P::NAME.to_owned()).spawn(work)
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

    /// What the server was begun with.
    pub fn protocol(&self) -> &P {
        &self.shared.protocol
    }

    /// Queues a message for each client for which `make` has one, without waiting.
    pub fn send(&self, mut make: impl FnMut(&P::State) -> Option<P::Message>) {
        let counters = &self.shared.counters;
        for client in self.shared.present().iter() {
            let Some(message) = make(&client.seat.state) else {
                continue;
            };
            match client.messages.try_send(message) {
                Ok(()) => counters.sent.count(),
                Err(TrySendError::Full(_)) => counters.lost.count(),
                Err(TrySendError::Disconnected(_)) => {}
            }
        }
    }

    /// Whether the state of any client has a property.
    pub fn any(&self, is_so: impl Fn(&P::State) -> bool) -> bool {
        let clients = self.shared.present();
        clients.iter().any(|client| is_so(&client.seat.state))
    }

    /// Counters of the traffic.
    pub fn traffic(&self) -> Traffic {
        let n_clients = self.shared.present().len() as u64;
        self.shared.counters.traffic(n_clients)
    }
}

impl<P: Protocol> Drop for Hub<P> {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        for client in lock(&self.shared.clients).drain(..) {
            let _ = client.stream.shutdown(Shutdown::Both);
        }
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl<P: Protocol> HubState<P> {
    /// The clients that have not left.
    fn present(&self) -> std::sync::MutexGuard<'_, Vec<Client<P>>> {
        let mut clients = lock(&self.clients);
        clients.retain(|client| !client.seat.is_gone());
        clients
    }

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
        let mut clients = self.present();
        let is_full = clients.len() >= self.limits.max_clients;
        match (!is_full).then(|| self.begin(stream)) {
            Some(Ok(client)) => clients.push(client),
            _ => self.counters.refused.count(),
        }
    }

    fn begin(self: &Arc<Self>, stream: TcpStream) -> std::io::Result<Client<P>> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(self.limits.write_timeout))?;
        let (sender, messages) = sync_channel(P::QUEUE);
        if let Some(greeting) = self.protocol.greeting() {
            // The queue of a new client is empty.
            let _ = sender.try_send(greeting);
        }
        let seat = Arc::new(Seat {
            state: P::State::default(),
            limits: self.limits,
            counters: Arc::clone(&self.counters),
            is_over: Arc::clone(&self.is_over),
            is_gone: AtomicBool::new(false),
        });
        // The sender keeps the stream too, so that the client's thread must close it.
        let (own, ending) = (stream.try_clone()?, stream.try_clone()?);
        let (shared, of_client) = (Arc::clone(self), Arc::clone(&seat));
        thread::Builder::new().spawn(move || {
            match shared.protocol.serve(&of_client, own, &messages) {
                End::Refused => shared.counters.refused.count(),
                End::Dropped => shared.counters.dropped.count(),
                End::Left => {}
            }
            let _ = ending.shutdown(Shutdown::Both);
            of_client.leave();
        })?;
        Ok(Client {
            messages: sender,
            stream,
            seat,
        })
    }
}

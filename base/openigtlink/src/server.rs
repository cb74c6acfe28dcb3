//! The server as the sender sees it: it never waits, and a slow client loses frames.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use insonate_servers::{Hub, Limits, ListenError, Traffic, lock};

use crate::Transform;
use crate::link::Link;

/// Settings of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Limits of clients.
    pub limits: Limits,
    /// Name of the device whose transforms are kept.
    pub target_device: String,
    /// Encoded messages that each client receives first; empty for none.
    pub greeting: Vec<u8>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            target_device: "Target".to_owned(),
            greeting: Vec::new(),
        }
    }
}

/// A server; dropping it stops it.
#[derive(Debug)]
pub struct Server(Hub<Link>);

impl Server {
    /// Starts listening; port 0 selects a free port.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn listen(address: SocketAddr, config: ServerConfig) -> Result<Self, ListenError> {
        let link = Link {
            target_device: config.target_device,
            greeting: config.greeting,
            target: Mutex::new(None),
        };
        Ok(Self(Hub::listen(address, config.limits, link)?))
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Sends encoded messages to all clients, without waiting.
    pub fn send(&self, frame: Vec<u8>) {
        let frame = Arc::new(frame);
        self.0.send(|()| Some(Arc::clone(&frame)));
    }

    /// The last transform since the previous call.
    pub fn take_target(&self) -> Option<Transform> {
        lock(&self.0.protocol().target).take()
    }

    /// Counters of the traffic.
    pub fn traffic(&self) -> Traffic {
        self.0.traffic()
    }
}

//! The server as the sender sees it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use insonate_servers::{Hub, Limits, ListenError, Traffic, lock};
use serde_json::{Value, json};

use crate::topics::{Command, Topic, Topics};

/// Topics of a server and limits of its clients.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Topics that the server publishes.
    pub published: Vec<Topic>,
    /// Topics that it takes from clients.
    pub taken: Vec<Topic>,
    /// Largest message of a client [bytes].
    pub max_message: usize,
    /// Limits of number and time.
    pub limits: Limits,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            published: Vec::new(),
            taken: Vec::new(),
            max_message: 1 << 16,
            limits: Limits::default(),
        }
    }
}

/// A server; dropping it stops it.
#[derive(Debug)]
pub struct Server(Hub<Topics>);

impl Server {
    /// Starts listening; port 0 selects a free port.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn listen(address: SocketAddr, config: ServerConfig) -> Result<Self, ListenError> {
        let topics = Topics {
            published: config.published,
            taken: config.taken,
            max_message: config.max_message,
            commands: Mutex::new(Vec::new()),
        };
        Ok(Self(Hub::listen(address, config.limits, topics)?))
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Sends a message to the clients that subscribe to a topic, without waiting. It is made only if one of them is due.
    pub fn publish(&self, topic: &str, make: impl FnOnce() -> Value) {
        let now = Instant::now();
        let mut make = Some(make);
        let mut text = None::<Arc<str>>;
        self.0.send(|subscriptions| {
            let mut subscriptions = lock(subscriptions);
            if !subscriptions.get_mut(topic)?.is_due(now) {
                return None;
            }
            if let Some(make) = make.take() {
                let message = json!({ "op": "publish", "topic": topic, "msg": make() });
                text = Some(message.to_string().into());
            }
            text.clone()
        });
    }

    /// The last message of each topic since the previous call, in the order of their arrival.
    pub fn take_commands(&self) -> Vec<Command> {
        std::mem::take(&mut *lock(&self.0.protocol().commands))
    }

    /// Counters of the traffic.
    pub fn traffic(&self) -> Traffic {
        self.0.traffic()
    }
}

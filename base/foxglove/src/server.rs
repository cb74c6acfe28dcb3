//! The server as the sender sees it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use insonate_servers::{Hub, Limits, ListenError, Traffic, lock};

use crate::channels::{Channel, Channels, Datum};

/// Name of a server and limits of its clients.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Name that clients show.
    pub name: String,
    /// Origins of pages that may connect, in addition to pages of this machine: Foxglove in a browser, and desktop programs.
    pub origins: Vec<String>,
    /// Largest message of a client [bytes].
    pub max_message: usize,
    /// Largest message that is sent [bytes]; larger ones are left out.
    pub max_sent: usize,
    /// Limits of number and time.
    pub limits: Limits,
}

impl Default for ServerConfig {
    fn default() -> Self {
        let origins = ["https://app.foxglove.dev", "file://"];
        Self {
            name: "insonate".to_owned(),
            origins: origins.map(str::to_owned).to_vec(),
            max_message: 1 << 16,
            max_sent: 1 << 24,
            limits: Limits::default(),
        }
    }
}

/// A server; dropping it stops it.
#[derive(Debug)]
pub struct Server {
    hub: Hub<Channels>,
    max_sent: usize,
}

impl Server {
    /// Starts listening; port 0 selects a free port.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn listen(address: SocketAddr, config: ServerConfig) -> Result<Self, ListenError> {
        let channels = Channels {
            name: config.name,
            origins: config.origins,
            max_sizes: [config.max_message, config.max_sent],
            known: Mutex::new(Vec::new()),
        };
        Ok(Self {
            hub: Hub::listen(address, config.limits, channels)?,
            max_sent: config.max_sent,
        })
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.hub.address()
    }

    /// Whether a message on a topic would reach anybody. A topic without a channel is wanted, so that clients learn of it.
    pub fn is_wanted(&self, topic: &str) -> bool {
        self.number(topic).is_none_or(|number| {
            self.hub
                .any(|subscriptions| lock(subscriptions).contains_key(&number))
        })
    }

    /// Sends a message to the clients that subscribe to a topic, without waiting. Its first message makes the channel, whose form later
    /// messages keep.
    pub fn publish(
        &self,
        topic: &str,
        nanoseconds: u64,
        data: &[u8],
        channel: impl FnOnce() -> Channel,
    ) {
        let number = self.number(topic).unwrap_or_else(|| self.add(channel()));
        if data.len() > self.max_sent {
            return;
        }
        let mut datum = None::<Arc<Datum>>;
        self.hub.send(|subscriptions| {
            let subscription = *lock(subscriptions).get(&number)?;
            let datum = datum.get_or_insert_with(|| {
                Arc::new(Datum {
                    nanoseconds,
                    data: data.to_vec(),
                })
            });
            Some((subscription, Arc::clone(datum)))
        });
    }

    /// Counters of the traffic.
    pub fn traffic(&self) -> Traffic {
        self.hub.traffic()
    }

    fn number(&self, topic: &str) -> Option<u32> {
        let channels = lock(&self.hub.protocol().known);
        let number = channels.iter().position(|channel| channel.topic == topic);
        number.map(|number| number as u32)
    }

    /// Adds a channel, unless another thread has added one of this topic.
    fn add(&self, channel: Channel) -> u32 {
        let mut channels = lock(&self.hub.protocol().known);
        let known = channels
            .iter()
            .position(|known| known.topic == channel.topic);
        let number = known.unwrap_or_else(|| {
            channels.push(channel);
            channels.len() - 1
        });
        number as u32
    }
}

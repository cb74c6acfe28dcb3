//! What servers that do not trust their clients have in common: an accepting thread, a thread and a queue for each client, limits of number
//! and time, and counters of the traffic.
//!
//! A server implements [`Protocol`], and a [`Hub`] runs it. The sender never waits: a slow client loses messages, and a client that does not
//! read for a while is disconnected. The feature `websocket` adds the connection of clients that speak websockets.

mod counters;
mod hub;
mod protocol;
#[cfg(feature = "websocket")]
pub mod websocket;

pub use counters::{Counters, Traffic};
pub use hub::{Hub, ListenError};
pub use protocol::{End, Limits, Protocol, Seat, is_wait, lock};

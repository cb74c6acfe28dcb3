//! A server of Foxglove's websocket protocol (<https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md>; subprotocols
//! `foxglove.sdk.v1` and `foxglove.websocket.v1`), for Foxglove, Lichtblick and similar programs.
//!
//! [`Server`] offers [`Channel`]s, each with the schema of its messages, and sends messages to the clients that subscribe to them. Clients
//! send nothing but their subscriptions.
//!
//! Clients are not trusted: number, size and time of their messages are limited, browsers only come from pages of this machine or of
//! Foxglove, and a client cannot slow the sender down.

mod channels;
mod request;
mod server;

pub use channels::{Channel, SUBPROTOCOLS};
pub use insonate_servers::{Limits, ListenError, Traffic};
pub use request::{MAX_SUBSCRIPTIONS, Request, Subscription};
pub use server::{Server, ServerConfig};

//! The servers that a session feeds.

use super::watchers::Watchers;
use crate::foxglove;
use crate::openigtlink::{self, Transform};

/// Servers that a session feeds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outlets<'a> {
    /// For 3D Slicer, which may send targets.
    pub openigtlink: Option<&'a openigtlink::Server>,
    /// For Foxglove.
    pub foxglove: Option<&'a foxglove::Server>,
}

impl<'a> Outlets<'a> {
    /// Clients of Foxglove's protocol.
    pub(super) fn foxglove(self) -> Option<Watchers<'a>> {
        self.foxglove.map(Watchers)
    }

    /// Sends OpenIGTLink messages.
    pub(super) fn send(self, messages: Vec<u8>) {
        if let Some(server) = self.openigtlink {
            server.send(messages);
        }
    }

    /// The last target of a client since the previous call.
    pub(super) fn take_target(self) -> Option<Transform> {
        self.openigtlink.and_then(openigtlink::Server::take_target)
    }

    /// Whether anybody may want a kind of pictures.
    pub(super) fn wants(self, topic: &str) -> bool {
        let watched = self.foxglove.is_some_and(|server| server.is_wanted(topic));
        self.openigtlink.is_some() || watched
    }
}

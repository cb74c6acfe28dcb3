//! Counters of the traffic.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of the traffic at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Connected clients.
    pub n_clients: u64,
    /// Clients that ever connected.
    pub n_accepted: u64,
    /// Clients that were refused, as there were too many or their handshake failed.
    pub n_refused: u64,
    /// Clients that were dropped for invalid or slow messages, or for not reading.
    pub n_dropped: u64,
    /// Messages queued for all clients.
    pub n_sent: u64,
    /// Messages that slow clients lost.
    pub n_lost: u64,
    /// Messages taken from clients.
    pub n_taken: u64,
    /// Messages of clients that were not understood; the client stays.
    pub n_invalid: u64,
}

/// Counters that threads share.
#[derive(Debug, Default)]
pub struct Counters {
    pub(crate) accepted: Counter,
    pub(crate) refused: Counter,
    pub(crate) dropped: Counter,
    pub(crate) sent: Counter,
    pub(crate) lost: Counter,
    /// Messages taken from clients.
    pub taken: Counter,
    /// Messages of clients that were not understood.
    pub invalid: Counter,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    /// The counters at this time, with the number of connected clients.
    pub(crate) fn traffic(&self, n_clients: u64) -> Traffic {
        Traffic {
            n_clients,
            n_accepted: self.accepted.get(),
            n_refused: self.refused.get(),
            n_dropped: self.dropped.get(),
            n_sent: self.sent.get(),
            n_lost: self.lost.get(),
            n_taken: self.taken.get(),
            n_invalid: self.invalid.get(),
        }
    }
}

//! A rendezvous of two threads that swap a number. Each thread busy-waits, so that both resume within a fraction of a microsecond.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Spins before a waiting thread yields. Yielding matters if there are fewer cores than busy threads.
const MAX_SPINS: usize = 4096;

/// A reusable rendezvous of two threads.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    slots: [Slot; 2],
    is_poisoned: AtomicBool,
}

/// Values of one thread, in separate cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Slot {
    /// Bits of the numbers of even and odd rounds. A thread may be one round ahead of the other.
    numbers: [AtomicU64; 2],
    /// Rounds entered.
    n_rounds: AtomicU64,
}

impl Exchange {
    /// One port for each thread.
    pub(super) fn ports(&self) -> [Port<'_>; 2] {
        [0, 1].map(|index| Port {
            exchange: self,
            index,
            n_rounds: 0,
        })
    }
}

/// Access of one thread.
#[derive(Debug)]
pub(super) struct Port<'a> {
    exchange: &'a Exchange,
    index: usize,
    n_rounds: u64,
}

impl Port<'_> {
    /// Publishes a number, waits for the other thread, and returns its number of the same round.
    ///
    /// # Panics
    /// If the other thread has panicked, to avoid an endless wait.
    pub(super) fn swap(&mut self, number: f64) -> f64 {
        let [own, other] = [self.index, 1 - self.index].map(|index| &self.exchange.slots[index]);
        let parity = (self.n_rounds % 2) as usize;
        self.n_rounds += 1;
        own.numbers[parity].store(number.to_bits(), Ordering::Relaxed);
        own.n_rounds.store(self.n_rounds, Ordering::Release);
        let mut n_spins = 0;
        while other.n_rounds.load(Ordering::Acquire) < self.n_rounds {
            let is_poisoned = self.exchange.is_poisoned.load(Ordering::Relaxed);
            assert!(!is_poisoned, "the other learner panicked");
            n_spins += 1;
            if n_spins < MAX_SPINS {
                spin_loop();
            } else {
                thread::yield_now();
            }
        }
        f64::from_bits(other.numbers[parity].load(Ordering::Relaxed))
    }
}

impl Drop for Port<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.exchange.is_poisoned.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_port_gets_the_others_number_of_the_same_round() {
        let exchange = Exchange::default();
        let [mut left, mut right] = exchange.ports();
        thread::scope(|scope| {
            scope.spawn(move || {
                for round in 0..20_000 {
                    assert_eq!(right.swap(f64::from(round)), -f64::from(round));
                }
            });
            for round in 0..20_000 {
                assert_eq!(left.swap(-f64::from(round)), f64::from(round));
            }
        });
    }

    #[test]
    fn no_thread_waits_for_one_that_panicked() {
        let exchange = Exchange::default();
        let [mut left, right] = exchange.ports();
        thread::scope(|scope| {
            let gone = scope.spawn(move || {
                let _right = right;
                std::panic::resume_unwind(Box::new("gone"));
            });
            let waiting = scope.spawn(move || left.swap(1.0));
            assert!(gone.join().is_err() && waiting.join().is_err());
        });
    }
}

//! A place where two threads wait for each other and swap a number: both are busy again within a fraction of a microsecond.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Looks before a waiting thread lets others run, which matters where cores are fewer than busy threads.
const LOOKS: usize = 4096;

/// A meeting of two threads, as often as they like.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    seats: [Seat; 2],
    is_abandoned: AtomicBool,
}

/// What one thread brings; a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seat {
    /// Bits of the numbers of even and odd rounds: a thread may be one round ahead of the other's reading.
    numbers: [AtomicU64; 2],
    /// Rounds it has come to.
    n_rounds: AtomicU64,
}

impl Meeting {
    /// The two sides, one for each thread.
    pub(super) fn sides(&self) -> [Side<'_>; 2] {
        [0, 1].map(|index| Side {
            meeting: self,
            index,
            n_rounds: 0,
        })
    }
}

/// One thread's side.
#[derive(Debug)]
pub(super) struct Side<'a> {
    meeting: &'a Meeting,
    index: usize,
    n_rounds: u64,
}

impl Side<'_> {
    /// Gives a number, waits for the other thread, and returns the other's number of the same round.
    ///
    /// # Panics
    /// When the other thread has panicked, instead of waiting forever.
    pub(super) fn swap(&mut self, number: f64) -> f64 {
        let [own, other] = [self.index, 1 - self.index].map(|index| &self.meeting.seats[index]);
        let parity = (self.n_rounds % 2) as usize;
        self.n_rounds += 1;
        own.numbers[parity].store(number.to_bits(), Ordering::Relaxed);
        own.n_rounds.store(self.n_rounds, Ordering::Release);
        let mut n_looks = 0;
        while other.n_rounds.load(Ordering::Acquire) < self.n_rounds {
            let is_abandoned = self.meeting.is_abandoned.load(Ordering::Relaxed);
            assert!(!is_abandoned, "the other learner panicked");
            n_looks += 1;
            if n_looks < LOOKS {
                spin_loop();
            } else {
                thread::yield_now();
            }
        }
        f64::from_bits(other.numbers[parity].load(Ordering::Relaxed))
    }
}

impl Drop for Side<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.meeting.is_abandoned.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_gets_the_others_number_of_the_same_round() {
        let meeting = Meeting::default();
        let [mut left, mut right] = meeting.sides();
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
    fn nobody_waits_for_a_thread_that_panicked() {
        let meeting = Meeting::default();
        let [mut left, right] = meeting.sides();
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

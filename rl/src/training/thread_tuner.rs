//! Chooses one or two threads for an update: the recently faster choice. The result is the same.
//!
//! Two threads that wait for each other at every minibatch are faster on idle cores and slower on busy ones.

use std::time::Duration;

/// Number of updates between two trials of the slower choice.
const TRIAL_EVERY: usize = 32;

/// Times of recent updates.
#[derive(Debug, Clone)]
pub(crate) struct ThreadTuner {
    max_threads: usize,
    /// Time of the last update on one thread and on two.
    times: [Option<Duration>; 2],
    n_updates: usize,
    is_fixed: bool,
}

impl ThreadTuner {
    /// Creates a tuner with a maximum number of threads.
    pub(crate) fn new(max_threads: usize) -> Self {
        Self {
            max_threads,
            times: [None; 2],
            n_updates: 0,
            is_fixed: false,
        }
    }

    /// Creates a tuner with a fixed number of threads.
    pub(crate) fn fixed(n_threads: usize) -> Self {
        let mut tuner = Self::new(n_threads);
        tuner.is_fixed = true;
        tuner
    }

    /// Number of threads of the next update.
    pub(crate) fn n_threads(&self) -> usize {
        if self.max_threads < 2 || self.is_fixed {
            return self.max_threads;
        }
        let faster = match self.times {
            [_, None] => return 2,
            [None, _] => return 1,
            [one, two] if two <= one => 2,
            _ => 1,
        };
        let is_trial = self.n_updates.is_multiple_of(TRIAL_EVERY);
        if is_trial { 3 - faster } else { faster }
    }

    /// Records the time of an update.
    pub(crate) fn record(&mut self, n_threads: usize, time: Duration) {
        self.times[n_threads - 1] = Some(time);
        self.n_updates += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(max_threads: usize, times: [u64; 2], n_updates: usize) -> [usize; 2] {
        let mut tuner = ThreadTuner::new(max_threads);
        let mut counts = [0; 2];
        for _ in 0..n_updates {
            let n_threads = tuner.n_threads();
            counts[n_threads - 1] += 1;
            tuner.record(n_threads, Duration::from_millis(times[n_threads - 1]));
        }
        counts
    }

    #[test]
    fn the_faster_choice_is_taken_and_the_other_tried_now_and_then() {
        assert_eq!(run(2, [20, 11], 100), [4, 96]);
        assert_eq!(run(2, [20, 40], 100), [96, 4]);
        assert_eq!(run(1, [20, 11], 100), [100, 0]);
    }
}

//! A slot with the newest state of the simulation, for a thread that is slower than the simulation.
//!
//! The simulation puts its newest state into the slot and never waits. A newer state replaces one that was not taken in time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// State that both threads share.
#[derive(Debug)]
struct SlotState<T> {
    newest: Option<T>,
    /// A state that has been used; its memory is reused.
    used: Option<T>,
    is_over: bool,
    counts: SlotCounts,
    /// Error that prevents further use.
    problem: Option<String>,
}

/// Counts of used and skipped states.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SlotCounts {
    /// States that were used.
    pub(super) used: u64,
    /// States that were replaced by a newer one before they were used.
    pub(super) replaced: u64,
    /// Times at which the first and the last state were used.
    span: Option<(Instant, Instant)>,
}

impl SlotCounts {
    /// States used per second since the first one [Hz]; 0 for fewer than two.
    pub(super) fn rate(&self) -> f64 {
        self.span.map_or(0.0, |(first, last)| {
            let seconds = last.duration_since(first).as_secs_f64();
            self.used.saturating_sub(1) as f64 / seconds.max(f64::MIN_POSITIVE)
        })
    }

    fn add(&mut self) {
        let now = Instant::now();
        self.span = Some((self.span.map_or(now, |(first, _)| first), now));
        self.used += 1;
    }
}

/// Slot between the simulation thread and another one.
#[derive(Debug)]
pub(super) struct NewestSlot<T> {
    shared: Mutex<SlotState<T>>,
    changed: Condvar,
}

impl<T> Default for NewestSlot<T> {
    fn default() -> Self {
        Self {
            shared: Mutex::new(SlotState {
                newest: None,
                used: None,
                is_over: false,
                counts: SlotCounts::default(),
                problem: None,
            }),
            changed: Condvar::new(),
        }
    }
}

impl<T> NewestSlot<T> {
    /// Puts a state into the slot, which replaces a state that still waits. `make` may reuse the memory of an earlier state.
    pub(super) fn offer(&self, make: impl FnOnce(Option<T>) -> Result<T, String>) {
        let mut shared = self.lock();
        if shared.problem.is_some() {
            return;
        }
        let waiting = shared.newest.take();
        shared.counts.replaced += u64::from(waiting.is_some());
        let used = waiting.or_else(|| shared.used.take());
        drop(shared);
        match make(used) {
            Ok(state) => self.lock().newest = Some(state),
            Err(problem) => self.fail(problem),
        }
        self.changed.notify_one();
    }

    /// Waits for the newest state; `None` at the end.
    pub(super) fn next(&self) -> Option<T> {
        let waits = |shared: &mut SlotState<T>| shared.newest.is_none() && !shared.is_over;
        let waited = self.changed.wait_while(self.lock(), waits);
        let mut shared = waited.unwrap_or_else(PoisonError::into_inner);
        shared.newest.take().filter(|_| !shared.is_over)
    }

    /// Counts a state that was used and keeps its memory.
    pub(super) fn give_back(&self, used: T) {
        let mut shared = self.lock();
        shared.used = Some(used);
        shared.counts.add();
    }

    /// Refuses further states.
    pub(super) fn fail(&self, problem: String) {
        self.lock().problem = Some(problem);
    }

    /// Ends the other thread after its current state.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_one();
    }

    pub(super) fn counts(&self) -> SlotCounts {
        self.lock().counts
    }

    /// Error that prevents further use, if any.
    pub(super) fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// The shared state is valid even after a panic, because every change is a single assignment.
    fn lock(&self) -> MutexGuard<'_, SlotState<T>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_state_replaces_one_that_waits() {
        let slot = NewestSlot::default();
        for state in 1..=3 {
            slot.offer(|_| Ok(state));
        }
        assert_eq!(slot.next(), Some(3));
        slot.give_back(3);
        assert_eq!((slot.counts().used, slot.counts().replaced), (1, 2));
        slot.offer(|used| Ok(used.unwrap_or(0) + 10));
        assert_eq!(slot.next(), Some(13));
        slot.end();
        assert_eq!(slot.next(), None);
    }

    #[test]
    fn no_state_follows_an_error() {
        let slot = NewestSlot::default();
        slot.offer(|_| Err::<u8, _>("broken".to_owned()));
        slot.offer(|_| Ok(1));
        assert_eq!(slot.problem().as_deref(), Some("broken"));
        slot.end();
        assert_eq!(slot.next(), None);
    }
}

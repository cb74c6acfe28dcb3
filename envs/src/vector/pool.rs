//! Threads that step environments. They live as long as the vector, and the caller's thread works with them.
//!
//! An atomic counter hands out environments (and groups that advance together) one by one, so a slow one does not delay the others.
//! Each is in a cell that one thread at a time takes it from. Between rounds the vector owns all of them.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use super::config::Autoreset;
use super::slot::{BoxedSlot, run};

/// Time that an idle thread polls for work before it sleeps. Waking a sleeping thread takes about 50 µs, longer than a
/// small policy takes to compute the next actions.
const SPIN: Duration = Duration::from_micros(100);

/// Polls between two reads of the clock.
const LOOKS_PER_CLOCK: usize = 64;

/// A cell from which one thread takes an environment or a group.
struct Cell {
    n_slots: usize,
    slots: Mutex<Vec<BoxedSlot>>,
}

/// The threads of a vector, except the caller's.
pub(super) struct Pool {
    shared: Arc<PoolState>,
    workers: Vec<JoinHandle<()>>,
}

struct PoolState {
    cells: Vec<Cell>,
    autoreset: Autoreset,
    /// Index of the next cell to hand out. When it reaches the number of cells, all are handed out.
    next: AtomicUsize,
    /// Unfinished cells of this round.
    n_left: AtomicUsize,
    /// Round counter. Its change wakes the workers.
    round: AtomicUsize,
    stop: AtomicBool,
    /// The thread that sleeps until `n_left` is zero.
    waiter: Mutex<Option<Thread>>,
    spin: Duration,
}

impl Pool {
    /// Starts the workers for groups of these sizes.
    ///
    /// # Errors
    /// The error of the operating system if a thread cannot be started.
    pub(super) fn new(
        groups: &[usize],
        n_workers: usize,
        autoreset: Autoreset,
    ) -> io::Result<Self> {
        let n_cores = thread::available_parallelism().map_or(1, usize::from);
        // With more threads than cores, polling threads would take time from the working ones.
        let spin = if n_workers < n_cores {
            SPIN
        } else {
            Duration::ZERO
        };
        let mut pool = Self {
            shared: Arc::new(PoolState {
                cells: groups.iter().map(|&n_slots| Cell::new(n_slots)).collect(),
                autoreset,
                next: AtomicUsize::new(groups.len()),
                n_left: AtomicUsize::new(0),
                round: AtomicUsize::new(0),
                stop: AtomicBool::new(false),
                waiter: Mutex::new(None),
                spin,
            }),
            workers: Vec::with_capacity(n_workers),
        };
        for index in 0..n_workers {
            let shared = Arc::clone(&pool.shared);
            let worker = thread::Builder::new()
                .name(format!("env-worker-{index}"))
                .spawn(move || shared.serve())?;
            pool.workers.push(worker);
        }
        Ok(pool)
    }

    /// Number of workers.
    pub(super) fn n_workers(&self) -> usize {
        self.workers.len()
    }

    /// Runs all environments on the workers and the caller's thread, until all are done or `stop` returns true. Returns
    /// whether all are done.
    /// The caller's thread calls `stop` before each cell that it takes.
    pub(super) fn run(&self, slots: &mut Vec<BoxedSlot>, stop: &mut dyn FnMut() -> bool) -> bool {
        let shared = &self.shared;
        let mut rest = slots.drain(..);
        for cell in &shared.cells {
            lock(&cell.slots).extend(rest.by_ref().take(cell.n_slots));
        }
        drop(rest);
        shared.n_left.store(shared.cells.len(), Ordering::Relaxed);
        // From here on cells are handed out, also to a worker that is late from the last round.
        shared.next.store(0, Ordering::Release);
        shared.round.fetch_add(1, Ordering::Release);
        for worker in &self.workers {
            worker.thread().unpark();
        }
        let mut is_whole = true;
        while !stop() && shared.work_once() {}
        // Cells that no thread has taken are skipped.
        let n_taken = shared.next.swap(shared.cells.len(), Ordering::AcqRel);
        if let Some(n_left_out @ 1..) = shared.cells.len().checked_sub(n_taken) {
            is_whole = false;
            shared.n_left.fetch_sub(n_left_out, Ordering::AcqRel);
        }
        shared.wait_for_the_rest();
        for cell in &shared.cells {
            slots.append(&mut lock(&cell.slots));
        }
        is_whole
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker runs no code that can panic outside of `slot::run`, which catches panics.
            let _ = worker.join();
        }
    }
}

impl Cell {
    fn new(n_slots: usize) -> Self {
        Self {
            n_slots,
            slots: Mutex::new(Vec::with_capacity(n_slots)),
        }
    }
}

impl PoolState {
    /// Main loop of a worker.
    fn serve(&self) {
        let mut seen = 0;
        loop {
            let stopped = || self.stop.load(Ordering::Acquire);
            let called = || stopped() || self.round.load(Ordering::Acquire) != seen;
            if !self.spin_until(called) {
                while !called() {
                    thread::park();
                }
            }
            if stopped() {
                return;
            }
            seen = self.round.load(Ordering::Acquire);
            while self.work_once() {}
        }
    }

    /// Runs a cell. Returns `false` if none is left.
    fn work_once(&self) -> bool {
        let Some(cell) = self.cells.get(self.next.fetch_add(1, Ordering::AcqRel)) else {
            return false;
        };
        // A cell is filled before it is handed out, and is handed out to one thread.
        run(&mut lock(&cell.slots), self.autoreset);
        if self.n_left.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(waiter) = lock(&self.waiter).take()
        {
            waiter.unpark();
        }
        true
    }

    fn wait_for_the_rest(&self) {
        let done = || self.n_left.load(Ordering::Acquire) == 0;
        if self.spin_until(done) {
            return;
        }
        // The last worker checks for a waiter after it has counted down, so either it finds this one, or this one sees that all is done.
        *lock(&self.waiter) = Some(thread::current());
        while !done() {
            thread::park();
        }
        *lock(&self.waiter) = None;
    }

    fn spin_until(&self, done: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS_PER_CLOCK {
                if done() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() >= self.spin {
                return done();
            }
            // Yields the core to another thread, perhaps the one that this thread waits for.
            thread::yield_now();
        }
    }
}

/// Locks a cell. Its content is moved as a whole, so a panic elsewhere leaves a valid state.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

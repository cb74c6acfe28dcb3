//! Threads that step environments: they live as long as the vector, and the caller's thread works with them.
//!
//! Environments, and groups that advance together, are handed out one by one through an atomic counter, so a slow one holds up nobody.
//! Each lies in a cell that one thread at a time takes it from; between rounds the vector owns all of them.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use super::config::Autoreset;
use super::slot::{BoxedSlot, run};

/// How long an idle thread keeps looking for work before it sleeps. Waking a thread that sleeps takes some 50 µs, longer than a
/// small policy takes to choose the next actions.
const SPIN: Duration = Duration::from_micros(100);

/// Looks between two looks at the clock.
const LOOKS_PER_CLOCK: usize = 64;

/// A place from which one thread takes a group of environments, or one alone.
struct Cell {
    n_slots: usize,
    slots: Mutex<Vec<BoxedSlot>>,
}

/// The threads of a vector beside the caller's.
pub(super) struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    cells: Vec<Cell>,
    autoreset: Autoreset,
    /// The next cell to be handed out; all of them are when it reaches their number.
    next: AtomicUsize,
    /// Cells of this round that are not done.
    n_left: AtomicUsize,
    /// Counts rounds; its change wakes the workers.
    round: AtomicUsize,
    stop: AtomicBool,
    /// The thread that sleeps until `n_left` is zero.
    waiter: Mutex<Option<Thread>>,
    spin: Duration,
}

impl Pool {
    /// Starts the workers for groups of so many environments.
    ///
    /// # Errors
    /// What the operating system says when it gives no thread.
    pub(super) fn new(
        groups: &[usize],
        n_workers: usize,
        autoreset: Autoreset,
    ) -> io::Result<Self> {
        let n_cores = thread::available_parallelism().map_or(1, usize::from);
        // Threads beyond the cores would take the time of those that work by looking for work.
        let spin = if n_workers < n_cores {
            SPIN
        } else {
            Duration::ZERO
        };
        let mut pool = Self {
            shared: Arc::new(Shared {
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

    /// Runs all environments on the threads and the caller's, until all is done, or until `stop` says so; returns whether all is done.
    /// The caller's thread asks it before each cell that it takes.
    pub(super) fn run(&self, slots: &mut Vec<BoxedSlot>, stop: &mut dyn FnMut() -> bool) -> bool {
        let shared = &self.shared;
        let mut rest = slots.drain(..);
        for cell in &shared.cells {
            lock(&cell.slots).extend(rest.by_ref().take(cell.n_slots));
        }
        drop(rest);
        shared.n_left.store(shared.cells.len(), Ordering::Relaxed);
        // From here on environments are handed out, also to a worker that is late from the last round.
        shared.next.store(0, Ordering::Release);
        shared.round.fetch_add(1, Ordering::Release);
        for worker in &self.workers {
            worker.thread().unpark();
        }
        let mut is_whole = true;
        while !stop() && shared.work_once() {}
        // What nobody has taken is left out.
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
            // A worker runs no code that panics outside of `slot::run`, which catches.
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

impl Shared {
    /// The life of a worker.
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

    /// Runs a cell; `false`: none is left to hand out.
    fn work_once(&self) -> bool {
        let Some(cell) = self.cells.get(self.next.fetch_add(1, Ordering::AcqRel)) else {
            return false;
        };
        // A cell is filled before it is handed out, and to one thread.
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
        // The last worker looks for a waiter after it has counted down, so either it finds this one or this one finds it done.
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
            // Where another thread wants this core, perhaps the very one that is waited for, it gets it.
            thread::yield_now();
        }
    }
}

/// Locks a cell; what it holds is moved as a whole, so a panic elsewhere leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

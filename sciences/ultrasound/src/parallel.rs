//! Loops over parts of a slice, on all threads or on the calling thread only.
//!
//! Waking threads for a small loop takes longer than the loop itself, and much longer if other programs use the cores.

use rayon::prelude::*;

/// The threads that do the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workers {
    /// All threads of rayon's pool.
    All,
    /// The calling thread.
    Own,
}

impl Workers {
    /// Calls `work` on each item and its number. `init` makes state that several items share; each thread gets at least `least` items.
    pub(crate) fn for_each<T: Send, S>(
        self,
        items: &mut [T],
        least: usize,
        init: impl Fn() -> S + Send + Sync,
        work: impl Fn(&mut S, usize, &mut T) + Send + Sync,
    ) {
        self.for_each_part(items, 1, least, init, |scratch, number, part| {
            for item in part {
                work(scratch, number, item);
            }
        });
    }

    /// Calls `work` on parts of `length` items; the last part may be shorter.
    pub(crate) fn for_each_part<T: Send, S>(
        self,
        items: &mut [T],
        length: usize,
        least: usize,
        init: impl Fn() -> S + Send + Sync,
        work: impl Fn(&mut S, usize, &mut [T]) + Send + Sync,
    ) {
        match self {
            Self::All => {
                let parts = items.par_chunks_mut(length).enumerate().with_min_len(least);
                parts.for_each_init(init, |scratch, (number, part)| work(scratch, number, part));
            }
            Self::Own => {
                let mut scratch = init();
                for (number, part) in items.chunks_mut(length).enumerate() {
                    work(&mut scratch, number, part);
                }
            }
        }
    }

    /// Number of threads.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::All => rayon::current_num_threads(),
            Self::Own => 1,
        }
    }
}

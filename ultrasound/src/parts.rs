//! Loops over parts of a slice, on all threads or on the one that asks.
//!
//! Handing a small loop to threads that sleep takes longer than the loop, and much longer where other programs want the cores.

use rayon::prelude::*;

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workers {
    /// All threads of rayon's pool.
    All,
    /// The thread that asks.
    Own,
}

impl Workers {
    /// Does something with each item and its number; `init` makes what serves for several, and `least` of them go to one thread.
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

    /// The same with parts of `length` items, of which the last may be shorter.
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

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::All => rayon::current_num_threads(),
            Self::Own => 1,
        }
    }
}

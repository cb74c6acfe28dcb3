//! Threads of a solver.

use std::sync::Arc;

use rayon::prelude::*;

use crate::TissueError;

/// Threads of a world. Results do not depend on their number.
#[derive(Debug, Clone)]
pub(crate) enum Threads {
    /// The calling thread, for one of many worlds.
    Caller,
    /// The global pool of the program, with one thread per core.
    Shared,
    /// A separate pool.
    Pool(Arc<rayon::ThreadPool>),
}

impl Threads {
    /// Threads from a number; 0: the global pool with one thread per core.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the threads cannot be started.
    pub(crate) fn new(n: usize) -> Result<Self, TissueError> {
        match n {
            0 => return Ok(Self::Shared),
            1 => return Ok(Self::Caller),
            _ => {}
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .map(|pool| Self::Pool(Arc::new(pool)))
            .map_err(|error| TissueError::setting("n_threads", n, error.to_string()))
    }

    /// Runs work on a thread of the pool. Parts are distributed from there without waking threads for each part.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Caller => work(),
            Self::Shared => rayon::scope(|_| work()),
            Self::Pool(pool) => pool.install(work),
        }
    }

    /// Calls a function for each item on all threads. Call it within [`run`](Self::run).
    pub(crate) fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
        match self {
            Self::Caller => items.iter_mut().for_each(work),
            Self::Shared | Self::Pool(_) => items.par_iter_mut().for_each(work),
        }
    }

    /// As [`for_each`](Self::for_each), for a few large items. Any thread may take any item.
    pub(crate) fn for_each_large<T: Send>(
        &self,
        items: &mut [T],
        work: impl Fn(&mut T) + Send + Sync,
    ) {
        match self {
            Self::Caller => items.iter_mut().for_each(work),
            Self::Shared | Self::Pool(_) => items.par_iter_mut().with_max_len(1).for_each(work),
        }
    }
}

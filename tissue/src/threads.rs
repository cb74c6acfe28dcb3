//! Threads of a solver.

use std::sync::Arc;

use rayon::prelude::*;

use crate::TissueError;

/// Threads of a world; results do not depend on their number.
#[derive(Debug, Clone)]
pub(crate) enum Threads {
    /// The caller's own: for one of many worlds.
    Caller,
    /// Those that the whole program shares, one for each core.
    Shared,
    /// Several.
    Pool(Arc<rayon::ThreadPool>),
}

impl Threads {
    /// A number of threads; 0: those that the whole program shares, one for each core.
    ///
    /// # Errors
    /// [`TissueError::Setting`]: they cannot be started.
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

    /// Runs work on one of them, from where its parts are shared out without waking threads for each part.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Caller => work(),
            Self::Shared => rayon::scope(|_| work()),
            Self::Pool(pool) => pool.install(work),
        }
    }

    /// Calls for each item, on all threads; within [`run`](Self::run).
    pub(crate) fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
        match self {
            Self::Caller => items.iter_mut().for_each(work),
            Self::Shared | Self::Pool(_) => items.par_iter_mut().for_each(work),
        }
    }

    /// The same of a few large items, each of which any thread may take.
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

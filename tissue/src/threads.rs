//! Who does the work.

use rayon::prelude::*;

use crate::TissueError;

/// Threads of a world. What they do does not depend on how many they are.
#[derive(Debug)]
pub(crate) enum Threads {
    /// The caller's own: for one of many worlds.
    Caller,
    /// Those that the whole program shares, one for each core.
    Shared,
    /// Several.
    Pool(rayon::ThreadPool),
}

impl Threads {
    /// So many; 0: those that the whole program shares, one for each core.
    ///
    /// # Errors
    /// [`TissueError::Setting`]: they cannot be had.
    pub(crate) fn new(n: usize) -> Result<Self, TissueError> {
        match n {
            0 => return Ok(Self::Shared),
            1 => return Ok(Self::Caller),
            _ => {}
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .map(Self::Pool)
            .map_err(|error| TissueError::setting("n_threads", n, error.to_string()))
    }

    /// Does something to each of them.
    pub(crate) fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
        match self {
            Self::Caller => items.iter_mut().for_each(work),
            Self::Shared => items.par_iter_mut().for_each(work),
            Self::Pool(pool) => pool.install(|| items.par_iter_mut().for_each(work)),
        }
    }
}

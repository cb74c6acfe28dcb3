//! Many worlds of the same bodies, each on one core at a time.

use rayon::prelude::*;

use super::body::MpmBody;
use super::config::MpmConfig;
use super::world::MlsMpm;
use crate::TissueError;
use crate::error::check_range;

/// Many worlds of the same bodies, each with its own tools, none of which knows of the others.
#[derive(Debug)]
pub struct MpmBatch {
    worlds: Vec<MlsMpm>,
    threads: rayon::ThreadPool,
}

impl MpmBatch {
    /// Worlds of bodies at rest shape; [`MpmConfig::n_threads`] is for all together.
    ///
    /// # Errors
    /// As [`MlsMpm::new`]; [`TissueError::Setting`] for the number of worlds.
    pub fn new(
        mut config: MpmConfig,
        bodies: &[MpmBody],
        n_worlds: usize,
    ) -> Result<Self, TissueError> {
        check_range("n_worlds", n_worlds as f64, 1.0, 1e6)?;
        let n_threads = config.n_threads;
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .map_err(|error| TissueError::setting("n_threads", n_threads, error.to_string()))?;
        config.n_threads = 1;
        let first = MlsMpm::new(config, bodies)?;
        let mut worlds: Vec<MlsMpm> = (1..n_worlds).map(|_| first.another()).collect();
        worlds.push(first);
        Ok(Self { worlds, threads })
    }

    /// Number of worlds.
    pub fn n_worlds(&self) -> usize {
        self.worlds.len()
    }

    /// Advances all worlds by a time [s]; of each world says why it has not, if it has not: a tool that cannot be leaves its world as it
    /// was, and one that has diverged stays stopped until its reset.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for the time.
    pub fn step(&mut self, time: f64) -> Result<Vec<Option<TissueError>>, TissueError> {
        check_range("time", time, 0.0, 1e3)?;
        let worlds = &mut self.worlds;
        Ok(self.threads.install(|| {
            worlds
                .par_iter_mut()
                .map(|world| world.step(time).err())
                .collect()
        }))
    }

    /// A world, to set tools, read, reset, save or restore it; none beyond the last.
    pub fn world(&mut self, index: usize) -> Option<&mut MlsMpm> {
        self.worlds.get_mut(index)
    }

    /// Calls for each world, on all cores: to set tools or to read.
    pub fn for_each(&mut self, f: impl Fn(usize, &mut MlsMpm) + Sync) {
        let worlds = &mut self.worlds;
        self.threads.install(|| {
            let worlds = worlds.par_iter_mut().enumerate();
            worlds.for_each(|(index, world)| f(index, world));
        });
    }
}

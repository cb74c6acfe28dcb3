//! Many worlds of equal topology: sixteen per vector, in blocks of sixteen on all cores.

use std::sync::Arc;

use insonate_settings::check_range;
use nalgebra::Vector3;
use rayon::prelude::*;

use super::attachment::Attachment;
use super::block::Block;
use super::body::XpbdBody;
use super::config::XpbdConfig;
use super::lane_layout::ManyWorlds;
use super::model::Model;
use super::topology::Topology;
use crate::graspable::Graspable;

use crate::TissueError;
use crate::threads::Threads;
use crate::tool::{Tool, Wrench};

/// Independent worlds of the same bodies, each with its own tools.
#[derive(Debug)]
pub struct XpbdBatch {
    blocks: Vec<Block<ManyWorlds>>,
    n_worlds: usize,
    /// `None` for one block, which the calling thread steps.
    threads: Option<rayon::ThreadPool>,
}

/// One world of a batch.
#[derive(Debug)]
pub struct BatchWorld<'a> {
    block: &'a mut Block<ManyWorlds>,
    world: usize,
}

impl XpbdBatch {
    /// Number of worlds per block. A block takes the same time for any number of worlds.
    pub const LANES: usize = 16;

    /// Worlds of bodies at rest shape.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn new(
        config: XpbdConfig,
        bodies: &[XpbdBody],
        attachments: &[Attachment],
        n_worlds: usize,
    ) -> Result<Self, TissueError> {
        config.check()?;
        config.check_whole()?;
        check_range("n_worlds", n_worlds as f64, [1.0, 1e6], "worlds")?;
        let n_blocks = n_worlds.div_ceil(Self::LANES);
        let threads = (n_blocks > 1).then(|| thread_pool(config.n_threads));
        let topology = Topology::new(bodies, attachments)?;
        let model = Arc::new(Model::new(config, Arc::new(topology)));
        let counts = (0..n_blocks).map(|i| (n_worlds - i * Self::LANES).min(Self::LANES));
        let block = |n: usize| Block::new(model.clone(), n, Threads::Caller);
        let blocks = counts.map(block).collect();
        Ok(Self {
            blocks,
            n_worlds,
            threads: threads.transpose()?,
        })
    }

    /// Number of worlds.
    pub fn n_worlds(&self) -> usize {
        self.n_worlds
    }

    /// Advances all worlds by a time [s]. Returns the error of each world that was not advanced. A world with an
    /// invalid tool is unchanged; a world that has diverged stays stopped until its reset.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for the time.
    pub fn step(&mut self, time: f64) -> Result<Vec<Option<TissueError>>, TissueError> {
        self.step_where(time, |_| true)
    }

    /// As [`Self::step`], for the worlds with a `true` entry in `moves`. The others are unchanged.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for the time.
    pub fn step_where(
        &mut self,
        time: f64,
        moves: impl Fn(usize) -> bool + Sync,
    ) -> Result<Vec<Option<TissueError>>, TissueError> {
        check_range("time", time, [0.0, 1e3], "s")?;
        let step = |(i, block): (usize, &mut Block<ManyWorlds>)| {
            block.step(time, |world| moves(i * Self::LANES + world))
        };
        let blocks = &mut self.blocks;
        let errors: Vec<_> = match &self.threads {
            None => blocks.iter_mut().enumerate().map(step).collect(),
            Some(threads) => {
                threads.install(|| blocks.par_iter_mut().enumerate().map(step).collect())
            }
        };
        Ok(errors.into_iter().flatten().collect())
    }

    /// A world; `None` for an index out of range.
    pub fn world(&mut self, index: usize) -> Option<BatchWorld<'_>> {
        if index >= self.n_worlds {
            return None;
        }
        Some(BatchWorld {
            block: &mut self.blocks[index / Self::LANES],
            world: index % Self::LANES,
        })
    }

    /// Calls a function for each world.
    pub fn for_each(&mut self, f: impl Fn(usize, BatchWorld<'_>) + Sync) {
        for (i, block) in self.blocks.iter_mut().enumerate() {
            for world in 0..block.worlds.len() {
                f(i * Self::LANES + world, BatchWorld { block, world });
            }
        }
    }
}

fn thread_pool(n_threads: usize) -> Result<rayon::ThreadPool, TissueError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .map_err(|error| TissueError::setting("n_threads", n_threads, error.to_string()))
}

impl BatchWorld<'_> {
    /// Tools of the world; see [`SoftTissue::tools_mut`](crate::SoftTissue::tools_mut).
    pub fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.block.worlds[self.world].tools
    }

    /// Mean wrench on a tool over the last step; see [`SoftTissue::wrench`](crate::SoftTissue::wrench).
    pub fn wrench(&self, tool: usize) -> Wrench {
        self.block.worlds[self.world].wrench(tool)
    }

    /// Positions in world [m], shape `[n_vertices, 3]`.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.block.positions(self.world)
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.block.worlds[self.world].time
    }

    /// Resets this world. Its tools and the other worlds are unchanged.
    pub fn reset(&mut self) {
        self.block.reset(self.world);
    }

    /// State for a later [`restore`](Self::restore) in any world of the same bodies. Tools are not included.
    pub fn save(&self) -> Vec<u8> {
        self.block.save(self.world)
    }

    /// Restores a saved state.
    ///
    /// # Errors
    /// [`TissueError::State`]; the world is unchanged then.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), TissueError> {
        self.block.restore(self.world, state)
    }

    /// Velocities in world [m/s], shape `[n_vertices, 3]`.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        self.block.velocities(self.world)
    }
}

impl Graspable for BatchWorld<'_> {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        self.tools_mut()
    }

    fn wrench(&self, tool: usize) -> Wrench {
        self.wrench(tool)
    }

    fn grasp(&mut self, tool: usize, at: Vector3<f64>, radius: f64, most: usize) -> usize {
        self.block.grasp(self.world, tool, at, radius, most)
    }

    fn release(&mut self, tool: usize) {
        self.block.worlds[self.world].release_grasp(tool);
    }
}

//! `insonate bench tissue`.

mod mpm;
mod numpy_rng;
mod xpbd;

use std::time::Instant;

use clap::Args;
use serde_json::Value;

use super::print_figures;
use crate::cli::device_arg::DeviceArg;

#[derive(Debug, Args)]
pub(crate) struct TissueBench {
    /// Solver.
    #[arg(long, value_name = "SOLVER", default_value = "mpm")]
    solver: Solver,
    /// Number of particles (mpm).
    #[arg(long, value_name = "N", default_value_t = 24_000)]
    particles: usize,
    /// Number of grid cells along each axis (mpm).
    #[arg(long, value_name = "N", default_value_t = 64)]
    grid: usize,
    /// Number of tetrahedra (xpbd).
    #[arg(long, value_name = "N", default_value_t = 1170)]
    tets: usize,
    /// Number of worlds that step in parallel (xpbd).
    #[arg(long, value_name = "N", default_value_t = 1)]
    worlds: usize,
    /// Number of substeps per frame [default: mpm 25, xpbd 10]
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// Device; auto uses a hardware GPU if there is one, else the CPU.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceArg,
    /// Number of threads; 0 uses one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Number of frames; the median over them is reported.
    #[arg(long, value_name = "N", default_value_t = 40)]
    frames: u32,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Solver {
    /// Particles and a grid.
    Mpm,
    /// Tetrahedra with compliant constraints.
    Xpbd,
}

impl TissueBench {
    /// Particles on a GPU, on a grid with a number of cells along each axis.
    pub(super) fn particles_on_gpu(particles: usize, grid: usize, frames: u32) -> Self {
        Self {
            solver: Solver::Mpm,
            particles,
            grid,
            ..Self::tets_on_gpu(1, frames)
        }
    }

    /// Worlds of tetrahedra on a GPU.
    pub(super) fn tets_on_gpu(worlds: usize, frames: u32) -> Self {
        Self {
            solver: Solver::Xpbd,
            particles: 0,
            grid: 0,
            tets: 1170,
            worlds,
            substeps: None,
            device: DeviceArg::Gpu,
            threads: 0,
            frames,
            json: true,
        }
    }

    pub(super) fn run(&self) -> anyhow::Result<()> {
        print_figures(&self.measure()?, self.json)
    }

    pub(super) fn measure(&self) -> anyhow::Result<Value> {
        Ok(match self.solver {
            Solver::Mpm => serde_json::to_value(self.measure_mpm()?)?,
            Solver::Xpbd => serde_json::to_value(self.measure_xpbd()?)?,
        })
    }

    fn device(&self) -> insonate::experiments::Device {
        self.device.into()
    }

    /// Steps a world frame by frame: what `look` sees after `n_warmup` frames, and the times of the frames after them [s].
    fn time_frames<W, T>(
        &self,
        n_warmup: u32,
        world: &mut W,
        mut step: impl FnMut(&mut W, u32) -> anyhow::Result<()>,
        look: impl FnOnce(&mut W) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Vec<f64>)> {
        for frame in 0..n_warmup {
            step(world, frame)?;
        }
        let seen = look(world)?;
        let mut times = Vec::new();
        for frame in n_warmup..n_warmup + self.frames.max(1) {
            let start = Instant::now();
            step(world, frame)?;
            times.push(start.elapsed().as_secs_f64());
        }
        Ok((seen, times))
    }
}

#[cfg(test)]
impl TissueBench {
    /// Few tetrahedra, one frame.
    fn small() -> Self {
        Self {
            solver: Solver::Xpbd,
            particles: 8_000,
            grid: 64,
            tets: 1170,
            worlds: 1,
            substeps: None,
            device: DeviceArg::Cpu,
            threads: 1,
            frames: 1,
            json: false,
        }
    }
}

/// Mean and greatest height of some positions [m].
fn mean_and_height(positions: &[[f64; 3]]) -> ([f64; 3], f64) {
    let n = positions.len() as f64;
    let mean = [0, 1, 2].map(|axis| positions.iter().map(|p| p[axis]).sum::<f64>() / n);
    let heights = positions.iter().map(|p| p[2]);
    (mean, heights.fold(f64::NEG_INFINITY, f64::max))
}

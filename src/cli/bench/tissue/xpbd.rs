//! Frames of the constraint solver: a block of tetrahedra on the floor, pressed by a ball.

use anyhow::ensure;
use insonate::experiments::Backend;
use insonate::tissue::SoftTissue as _;
use insonate::tissue::xpbd::BenchScene;
use serde::Serialize;

use super::super::median;
use super::{TissueBench, mean_and_height};

/// Frames before the state is reported and timing starts.
const N_WARMUP: u32 = 60;

/// Figures of the benchmark.
#[derive(Debug, Serialize)]
pub(super) struct XpbdSpeed {
    solver: &'static str,
    device: String,
    n_tets: usize,
    /// Substeps in a frame of 1/60 s.
    n_substeps: u32,
    n_worlds: usize,
    /// Requested number of threads; 0 uses one per core.
    n_threads: usize,
    /// Median time of a frame of all worlds [ms].
    ms_per_frame: f64,
    world_frames_per_second: f64,
    world_steps_per_second: f64,
    /// Mean position of the first world's vertices after 60 frames [m].
    mean_position: [f64; 3],
    /// Height of the highest vertex after 60 frames [m].
    max_height: f64,
}

/// Positions after the first 60 frames [m], and times of the others [s].
type Measured = (Vec<[f64; 3]>, Vec<f64>);

impl TissueBench {
    pub(super) fn measure_xpbd(&self) -> anyhow::Result<XpbdSpeed> {
        ensure!(
            (1..=1_000_000).contains(&self.worlds),
            "--worlds is {}; it must be between 1 and 1000000",
            self.worlds
        );
        let n_substeps = self.substeps.unwrap_or(10);
        let scene = BenchScene::new(self.tets, n_substeps)?;
        let backend = self.device().open()?;
        let device = backend.name();
        let (positions, times) = match backend {
            Backend::Cpu => self.xpbd_on_cpu(&scene)?,
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => self.xpbd_on_gpu(&scene, &gpu)?,
        };
        let seconds = median(times);
        let frames = self.worlds as f64 / seconds;
        let (mean_position, max_height) = mean_and_height(&positions);
        Ok(XpbdSpeed {
            solver: "xpbd",
            device,
            n_tets: self.tets,
            n_substeps,
            n_worlds: self.worlds,
            n_threads: self.threads,
            ms_per_frame: seconds * 1e3,
            world_frames_per_second: frames,
            world_steps_per_second: frames * f64::from(n_substeps),
            mean_position,
            max_height,
        })
    }

    fn xpbd_on_cpu(&self, scene: &BenchScene) -> anyhow::Result<Measured> {
        if self.worlds == 1 {
            return self.time_frames(
                N_WARMUP,
                &mut scene.world(self.threads)?,
                |world, frame| Ok(scene.step(world, frame)?),
                |world| Ok(world.positions()),
            );
        }
        self.time_frames(
            N_WARMUP,
            &mut scene.batch(self.worlds, self.threads)?,
            |batch, frame| Ok(scene.step_batch(batch, frame)?),
            |batch| {
                let first = batch.world(0);
                Ok(first.map_or_else(Vec::new, |world| world.positions()))
            },
        )
    }

    #[cfg(feature = "gpu")]
    fn xpbd_on_gpu(
        &self,
        scene: &BenchScene,
        gpu: &insonate::tissue::gpu::Gpu,
    ) -> anyhow::Result<Measured> {
        use insonate::tissue::gpu::xpbd::GpuXpbd;
        let body = std::slice::from_ref(&scene.body);
        let n_worlds = self.worlds;
        let mut worlds = GpuXpbd::new(gpu, scene.config.clone(), body, &[], n_worlds)?;
        let step = |worlds: &mut GpuXpbd, frame: u32| {
            let tools = scene.tools(frame);
            for index in 0..n_worlds {
                worlds.tools_mut(index).clone_from(&tools);
            }
            worlds.step(BenchScene::FRAME)?;
            match (0..n_worlds).find_map(|index| worlds.divergence(index)) {
                Some(reason) => anyhow::bail!("the scene diverged: {reason}"),
                None => Ok(()),
            }
        };
        self.time_frames(N_WARMUP, &mut worlds, step, |worlds| {
            Ok(worlds.positions(0)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_ends_where_one_world_ends() {
        let run = |worlds: usize| {
            let bench = TissueBench {
                worlds,
                ..TissueBench::small()
            };
            bench.measure_xpbd().unwrap()
        };
        let (one, many) = (run(1), run(3));
        for axis in 0..3 {
            // Sums go in another order.
            assert!((one.mean_position[axis] - many.mean_position[axis]).abs() < 1e-5);
        }
        assert!(one.max_height < 0.065);
    }
}

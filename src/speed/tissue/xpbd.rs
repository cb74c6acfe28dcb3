//! Frames of the constraint solver: a block of tetrahedra on the floor, pressed by a ball.

use std::time::Instant;

use anyhow::ensure;
use insonate_tissue::SoftTissue as _;
use insonate_tissue::xpbd::BenchScene;
use serde::Serialize;

use super::device::{Device, Place};
use crate::speed::median;

/// Frames before the state is told and time is taken.
const N_WARMUP: u32 = 60;

/// What to measure.
#[derive(Debug, Clone)]
pub struct XpbdPlan {
    /// Number of tetrahedra.
    pub n_tets: usize,
    /// Substeps in a frame of 1/60 s.
    pub n_substeps: u32,
    /// Worlds that step together.
    pub n_worlds: usize,
    /// Threads; 0: one for each core. One world takes one thread.
    pub n_threads: usize,
    /// Frames, of which the median counts.
    pub n_frames: u32,
    /// Where.
    pub device: Device,
}

/// What came out.
#[derive(Debug, Clone, Serialize)]
pub struct XpbdSpeed {
    /// Which solver.
    pub solver: &'static str,
    /// Where.
    pub device: String,
    /// Number of tetrahedra.
    pub n_tets: usize,
    /// Substeps in a frame.
    pub n_substeps: u32,
    /// Worlds that stepped together.
    pub n_worlds: usize,
    /// Threads asked for; 0: one for each core.
    pub n_threads: usize,
    /// Median time of a frame of all worlds [ms].
    pub ms_per_frame: f64,
    /// Frames of all worlds per second.
    pub world_frames_per_second: f64,
    /// Substeps of all worlds per second.
    pub world_steps_per_second: f64,
    /// Mean position of the first world's vertices after 60 frames [m].
    pub mean_position: [f64; 3],
    /// Height of the highest vertex after 60 frames [m].
    pub max_height: f64,
}

/// Builds the scene and takes the time.
///
/// # Errors
/// Numbers out of range; a world that ends; a GPU that cannot be had.
pub fn measure(plan: &XpbdPlan) -> anyhow::Result<XpbdSpeed> {
    ensure!(
        (1..=1_000_000).contains(&plan.n_worlds),
        "--worlds is {}, but must be from 1 to 1000000",
        plan.n_worlds
    );
    let scene = BenchScene::new(plan.n_tets, plan.n_substeps)?;
    let place = plan.device.open()?;
    let device = place.name();
    let (times, positions) = match place {
        Place::Cpu => on_cpu(plan, &scene)?,
        #[cfg(feature = "gpu")]
        Place::Gpu(gpu) => on_gpu(plan, &scene, &gpu)?,
    };
    let n = positions.len() as f64;
    let seconds = median(times);
    let frames = plan.n_worlds as f64 / seconds;
    Ok(XpbdSpeed {
        solver: "xpbd",
        device,
        n_tets: plan.n_tets,
        n_substeps: plan.n_substeps,
        n_worlds: plan.n_worlds,
        n_threads: plan.n_threads,
        ms_per_frame: seconds * 1e3,
        world_frames_per_second: frames,
        world_steps_per_second: frames * f64::from(plan.n_substeps),
        mean_position: [0, 1, 2].map(|axis| positions.iter().map(|p| p[axis]).sum::<f64>() / n),
        max_height: positions
            .iter()
            .map(|p| p[2])
            .fold(f64::NEG_INFINITY, f64::max),
    })
}

/// Times of frames [s], and the positions after the first 60.
type Measured = (Vec<f64>, Vec<[f64; 3]>);

fn on_cpu(plan: &XpbdPlan, scene: &BenchScene) -> anyhow::Result<Measured> {
    if plan.n_worlds == 1 {
        let mut world = scene.world()?;
        return watch(
            plan,
            &mut world,
            |world, frame| Ok(scene.step(world, frame)?),
            |world| Ok(world.positions()),
        );
    }
    let mut batch = scene.batch(plan.n_worlds, plan.n_threads)?;
    watch(
        plan,
        &mut batch,
        |batch, frame| Ok(scene.step_batch(batch, frame)?),
        |batch| {
            Ok(batch
                .world(0)
                .map_or_else(Vec::new, |world| world.positions()))
        },
    )
}

#[cfg(feature = "gpu")]
fn on_gpu(
    plan: &XpbdPlan,
    scene: &BenchScene,
    gpu: &insonate_tissue::gpu::Gpu,
) -> anyhow::Result<Measured> {
    use insonate_tissue::gpu::xpbd::GpuXpbd;
    let body = std::slice::from_ref(&scene.body);
    let mut worlds = GpuXpbd::new(gpu, scene.config.clone(), body, &[], plan.n_worlds)?;
    let step = |worlds: &mut GpuXpbd, frame: u32| {
        let tools = scene.tools(frame);
        for index in 0..plan.n_worlds {
            worlds.tools_mut(index).clone_from(&tools);
        }
        worlds.step(BenchScene::FRAME)?;
        match (0..plan.n_worlds).find_map(|index| worlds.divergence(index)) {
            Some(reason) => anyhow::bail!("the benchmark's scene ended: {reason}"),
            None => Ok(()),
        }
    };
    watch(plan, &mut worlds, step, |worlds| Ok(worlds.positions(0)?))
}

/// Steps frame by frame and takes the time.
fn watch<W>(
    plan: &XpbdPlan,
    world: &mut W,
    mut step: impl FnMut(&mut W, u32) -> anyhow::Result<()>,
    positions: impl FnOnce(&mut W) -> anyhow::Result<Vec<[f64; 3]>>,
) -> anyhow::Result<Measured> {
    for frame in 0..N_WARMUP {
        step(world, frame)?;
    }
    let found = positions(world)?;
    let mut times = Vec::with_capacity(plan.n_frames as usize);
    for frame in N_WARMUP..N_WARMUP + plan.n_frames.max(1) {
        let start = Instant::now();
        step(world, frame)?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok((times, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_ends_where_one_world_ends() {
        let run = |n_worlds: usize| {
            let plan = XpbdPlan {
                n_tets: 1170,
                n_substeps: 10,
                n_worlds,
                n_threads: 1,
                n_frames: 1,
                device: Device::Cpu,
            };
            measure(&plan).unwrap()
        };
        let (one, many) = (run(1), run(3));
        for axis in 0..3 {
            // Sums go in another order.
            assert!((one.mean_position[axis] - many.mean_position[axis]).abs() < 1e-5);
        }
        assert!(run(1).max_height < 0.065);
    }
}

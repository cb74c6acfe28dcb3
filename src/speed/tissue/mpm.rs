//! Frames of the particle solver: a soft block on the floor of a unit cube, into which a box is pressed and then slides.

use std::time::Instant;

use anyhow::{Context as _, ensure};
use insonate_tissue::Material;
use insonate_tissue::mpm::{Contact, MlsMpm, MpmBody, MpmConfig, WALL_NODES, Wall};
use insonate_tissue::tool::{Shape, Tool};
use nalgebra::{UnitQuaternion, Vector3};
use serde::Serialize;

use super::device::{Device, Place};
use super::generator::Generator;
use crate::speed::median;

/// Length of a substep [s].
const SUBSTEP: f64 = 5e-4;
/// Half sizes of the box [m], and its turn about z [rad].
const BOX: ([f64; 3], f64) = ([0.06, 0.04, 0.05], 0.3);
/// Frames before the state is told and time is taken: the box is in the tissue then.
const N_WARMUP: usize = 30;
/// Particles per cell.
const PER_CELL: f64 = 8.0;

/// What to measure.
#[derive(Debug, Clone)]
pub struct MpmPlan {
    /// Number of particles.
    pub n_particles: usize,
    /// Cells along each axis of the unit cube.
    pub grid: usize,
    /// Substeps of 0.5 ms in a frame.
    pub n_substeps: usize,
    /// Threads; 0: one for each core.
    pub n_threads: usize,
    /// Frames, of which the median counts.
    pub n_frames: usize,
    /// Where.
    pub device: Device,
}

/// What came out.
#[derive(Debug, Clone, Serialize)]
pub struct MpmSpeed {
    /// Which solver.
    pub solver: &'static str,
    /// Which device.
    pub device: String,
    /// Number of particles.
    pub n_particles: usize,
    /// Cells along each axis.
    pub grid: usize,
    /// Substeps in a frame.
    pub n_substeps: usize,
    /// Threads asked for; 0: one for each core.
    pub n_threads: usize,
    /// Median time of a frame [ms].
    pub ms_per_frame: f64,
    /// Shortest time of a frame [ms].
    pub ms_per_frame_min: f64,
    /// Frames per second.
    pub frames_per_second: f64,
    /// Particles times substeps per second.
    pub particle_substeps_per_second: f64,
    /// Mean position of the particles after 30 frames [m].
    pub mean_position: [f64; 3],
    /// Height of the highest particle after 30 frames [m].
    pub max_height: f64,
    /// Mean force on the box over the 30th frame [N].
    pub tool_force: [f64; 3],
}

/// Builds the scene and takes the time.
///
/// # Errors
/// Numbers out of range; a world that ends.
pub fn measure(plan: &MpmPlan) -> anyhow::Result<MpmSpeed> {
    let scene = Scene::new(plan)?;
    let place = plan.device.open()?;
    let device = place.name();
    let n = plan.n_particles as f64;
    let Measured {
        times,
        positions,
        tool_force,
    } = match place {
        Place::Cpu => on_cpu(plan, &scene)?,
        #[cfg(feature = "gpu")]
        Place::Gpu(gpu) => on_gpu(plan, &scene, &gpu)?,
    };
    let mean_position = [0, 1, 2].map(|axis| positions.iter().map(|p| p[axis]).sum::<f64>() / n);
    let max_height = positions.iter().map(|p| p[2]).fold(0.0, f64::max);
    let ms_per_frame_min = times.iter().copied().fold(f64::INFINITY, f64::min);
    let ms_per_frame = median(times);
    Ok(MpmSpeed {
        solver: "mpm",
        device,
        n_particles: plan.n_particles,
        grid: plan.grid,
        n_substeps: plan.n_substeps,
        n_threads: plan.n_threads,
        ms_per_frame,
        ms_per_frame_min,
        frames_per_second: 1e3 / ms_per_frame,
        particle_substeps_per_second: n * plan.n_substeps as f64 * 1e3 / ms_per_frame,
        mean_position,
        max_height,
        tool_force,
    })
}

/// Times of frames [ms], and the state after the first 30.
struct Measured {
    times: Vec<f64>,
    positions: Vec<[f64; 3]>,
    tool_force: [f64; 3],
}

fn on_cpu(plan: &MpmPlan, scene: &Scene) -> anyhow::Result<Measured> {
    let time = plan.n_substeps as f64 * SUBSTEP;
    let mut world = MlsMpm::new(
        scene.config(plan.n_threads),
        std::slice::from_ref(&scene.body),
    )?;
    world.tools.push(Scene::tool());
    ensure!(
        world.substep() >= SUBSTEP,
        "substeps of {SUBSTEP} s are too long for --grid {}: at most {:.2e} s",
        scene.grid,
        world.substep()
    );
    watch(
        plan,
        &mut world,
        |world, frame| {
            scene.place(&mut world.tools[0], frame as f64 * time);
            world.step(time).context("the benchmark's scene ended")
        },
        |world| Ok((world.positions(), world.wrench(0).force.into())),
    )
}

#[cfg(feature = "gpu")]
fn on_gpu(
    plan: &MpmPlan,
    scene: &Scene,
    gpu: &insonate_tissue::gpu::Gpu,
) -> anyhow::Result<Measured> {
    use insonate_tissue::gpu::mpm::GpuMpm;
    let time = plan.n_substeps as f64 * SUBSTEP;
    let worlds = [vec![scene.body.clone()]];
    let mut world = GpuMpm::new(gpu, scene.config(1), &worlds)?;
    world.tools_mut(0).push(Scene::tool());
    watch(
        plan,
        &mut world,
        |world, frame| {
            scene.place(&mut world.tools_mut(0)[0], frame as f64 * time);
            world.step(time)?;
            match world.divergence(0) {
                Some(reason) => anyhow::bail!("the benchmark's scene ended: {reason}"),
                None => Ok(()),
            }
        },
        |world| Ok((world.positions(0)?, world.wrench(0, 0).force.into())),
    )
}

/// Steps frame by frame and takes the time.
fn watch<W>(
    plan: &MpmPlan,
    world: &mut W,
    mut step: impl FnMut(&mut W, usize) -> anyhow::Result<()>,
    look: impl FnOnce(&mut W) -> anyhow::Result<(Vec<[f64; 3]>, [f64; 3])>,
) -> anyhow::Result<Measured> {
    for frame in 0..N_WARMUP {
        step(world, frame)?;
    }
    let (positions, tool_force) = look(world)?;
    let mut times = Vec::with_capacity(plan.n_frames);
    for frame in N_WARMUP..N_WARMUP + plan.n_frames.max(1) {
        let start = Instant::now();
        step(world, frame)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Measured {
        times,
        positions,
        tool_force,
    })
}

/// The scene.
struct Scene {
    cell_width: f64,
    grid: usize,
    body: MpmBody,
    /// Height of the block [m].
    height: f64,
}

impl Scene {
    fn new(plan: &MpmPlan) -> anyhow::Result<Self> {
        let (n, grid) = (plan.n_particles, plan.grid);
        ensure!(
            (16..=512).contains(&grid),
            "--grid is {grid}, but must be from 16 to 512"
        );
        let most = 100_000_000;
        ensure!(
            (100..=most).contains(&n),
            "--particles is {n}, but must be from 100 to {most}"
        );
        ensure!(
            plan.n_substeps > 0,
            "--substeps is 0, but must be 1 or more"
        );
        let cell_width = 1.0 / grid as f64;
        let volume = n as f64 / PER_CELL * cell_width.powi(3);
        let side = (2.0 * volume).cbrt();
        let room = 1.0 - 2.0 * (WALL_NODES as f64 + 1.0) * cell_width;
        ensure!(
            side < room,
            "{n} particles, eight in a cell, fill a block of {side:.3} m, more than the {room:.3} m between the walls: take a finer --grid"
        );
        let height = side / 2.0;
        let floor = WALL_NODES as f64 * cell_width;
        let low = [0.5 - side / 2.0, 0.5 - side / 2.0, floor];
        Ok(Self {
            cell_width,
            grid,
            body: MpmBody {
                material: Material::default(),
                positions: particles(n, low, [side, side, height]),
                velocity: [0.0; 3],
                particle_volume: volume / n as f64,
                fixed: Vec::new(),
            },
            height,
        })
    }

    fn config(&self, n_threads: usize) -> MpmConfig {
        let mut config = MpmConfig {
            cell_width: self.cell_width,
            cells: [self.grid; 3],
            substep: SUBSTEP,
            n_threads,
            contact: Contact::Nodes,
            ..MpmConfig::default()
        };
        config.walls[2][0] = Wall::Sticky;
        config
    }

    fn tool() -> Tool {
        let (half, yaw) = BOX;
        Tool {
            rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw),
            friction: 0.3,
            ..Tool::new(Shape::Cuboid { half })
        }
    }

    /// Down at 0.2 m/s to 0.15 of the block's height, then along x at 0.05 m/s.
    fn place(&self, tool: &mut Tool, time: f64) {
        let (half, _) = BOX;
        let top = WALL_NODES as f64 * self.cell_width + self.height + half[2];
        let lowest = top - 0.15 * self.height;
        let height = top + 0.01 - 0.2 * time;
        tool.linear = if height > lowest {
            Vector3::new(0.0, 0.0, -0.2)
        } else {
            Vector3::new(0.05, 0.0, 0.0)
        };
        tool.position = Vector3::new(0.5, 0.5, height.max(lowest));
    }
}

/// A lattice with so many points or a few more in a block, of which so many are chosen, moved at random and put in random order.
fn particles(n: usize, low: [f64; 3], size: [f64; 3]) -> Vec<[f64; 3]> {
    let mut across = (2.0 * n as f64).cbrt().ceil() as usize;
    let up = loop {
        let up = (size[2] / (size[0] / across as f64)).round_ties_even() as usize;
        if across * across * up >= n {
            break up;
        }
        across += 1;
    };
    let counts = [across, across, up];
    let mut generator = Generator::new();
    let mut chosen = generator.choice(across * across * up, n);
    chosen.sort_unstable();
    let placed: Vec<[f64; 3]> = chosen
        .into_iter()
        .map(|index| {
            let at = [index / (across * up), index / up % across, index % up];
            std::array::from_fn(|axis| {
                let moved = at[axis] as f64 + 0.5 + 0.4 * (generator.random() - 0.5);
                let place = moved * (size[axis] / counts[axis] as f64) + low[axis];
                f64::from(place as f32)
            })
        })
        .collect();
    let order = generator.permutation(n);
    order.into_iter().map(|index| placed[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(n_particles: usize) -> MpmPlan {
        MpmPlan {
            n_particles,
            grid: 64,
            n_substeps: 25,
            n_threads: 1,
            n_frames: 1,
            device: Device::Cpu,
        }
    }

    #[test]
    fn the_particles_are_the_peers_particles() {
        // First and last particle and sums, printed by the peers' scene with NumPy 2.4.6.
        let scene = Scene::new(&plan(24_000)).unwrap();
        let positions = &scene.body.positions;
        let near = |found: [f64; 3], wanted: [f64; 3], tolerance: f64| {
            for (found, wanted) in found.into_iter().zip(wanted) {
                assert!((found - wanted).abs() < tolerance, "{found} {wanted}");
            }
        };
        near(positions[0], [0.43148628, 0.6152951, 0.05725212], 1e-7);
        near(
            positions[23_999],
            [0.52370906, 0.50798935, 0.12248313],
            1e-7,
        );
        let sums = [0, 1, 2].map(|axis| positions.iter().map(|p| p[axis]).sum());
        near(sums, [12002.91886693, 11998.78407404, 2827.5167399], 1e-6);
        near([scene.height; 3], [0.14196254631501093; 3], 1e-15);
        let smaller = Scene::new(&plan(8_000)).unwrap();
        near(
            smaller.body.positions[0],
            [0.4418892, 0.4948262, 0.13438281],
            1e-7,
        );
    }

    #[test]
    fn a_block_beyond_the_walls_is_refused() {
        let error = measure(&plan(1_000_000)).unwrap_err().to_string();
        assert!(error.contains("take a finer --grid"), "{error}");
    }
}

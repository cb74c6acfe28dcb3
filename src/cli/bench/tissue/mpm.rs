//! Frames of the particle solver: a soft block on the floor of a unit cube, into which a box is pressed and then slides.

use anyhow::{Context as _, ensure};
use insonate::experiments::Backend;
use insonate::tissue::Material;
use insonate::tissue::mpm::{Contact, MlsMpm, MpmBody, MpmConfig, WALL_NODES, Wall};
use insonate::tissue::tool::{Shape, Tool};
use nalgebra::{UnitQuaternion, Vector3};
use serde::Serialize;

use super::super::median;
use super::numpy_rng::NumpyRng;
use super::{TissueBench, mean_and_height};

/// Length of a substep [s].
const SUBSTEP: f64 = 5e-4;
/// Half sizes of the box [m], and its turn about z [rad].
const BOX: ([f64; 3], f64) = ([0.06, 0.04, 0.05], 0.3);
/// Frames before the state is reported and timing starts: the box is in the tissue then.
const N_WARMUP: u32 = 30;
/// Particles per cell.
const PER_CELL: f64 = 8.0;

/// Figures of the benchmark.
#[derive(Debug, Serialize)]
pub(super) struct MpmSpeed {
    solver: &'static str,
    device: String,
    n_particles: usize,
    /// Cells along each axis.
    grid: usize,
    /// Substeps of 0.5 ms in a frame.
    n_substeps: u32,
    /// Requested number of threads; 0 uses one per core.
    n_threads: usize,
    /// Median time of a frame [ms].
    ms_per_frame: f64,
    /// Shortest time of a frame [ms].
    ms_per_frame_min: f64,
    frames_per_second: f64,
    /// Particles times substeps per second.
    particle_substeps_per_second: f64,
    /// Mean position of the particles after 30 frames [m].
    mean_position: [f64; 3],
    /// Height of the highest particle after 30 frames [m].
    max_height: f64,
    /// Mean force on the box over the 30th frame [N].
    tool_force: [f64; 3],
}

/// Positions [m] and force on the box [N] after the first 30 frames, and times of the others [s].
type Measured = ((Vec<[f64; 3]>, [f64; 3]), Vec<f64>);

impl TissueBench {
    pub(super) fn measure_mpm(&self) -> anyhow::Result<MpmSpeed> {
        let scene = Scene::new(self.particles, self.grid)?;
        let n_substeps = self.substeps.unwrap_or(25);
        ensure!(n_substeps > 0, "--substeps is 0; it must be at least 1");
        let frame_time = f64::from(n_substeps) * SUBSTEP;
        let backend = self.device().open()?;
        let device = backend.name();
        let ((positions, tool_force), times) = match backend {
            Backend::Cpu => self.mpm_on_cpu(&scene, frame_time)?,
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => self.mpm_on_gpu(&scene, frame_time, &gpu)?,
        };
        let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
        let frames_per_second = 1.0 / median(times);
        let (mean_position, max_height) = mean_and_height(&positions);
        let per_frame = self.particles as f64 * f64::from(n_substeps);
        Ok(MpmSpeed {
            solver: "mpm",
            device,
            n_particles: self.particles,
            grid: self.grid,
            n_substeps,
            n_threads: self.threads,
            ms_per_frame: 1e3 / frames_per_second,
            ms_per_frame_min: 1e3 * shortest,
            frames_per_second,
            particle_substeps_per_second: per_frame * frames_per_second,
            mean_position,
            max_height,
            tool_force,
        })
    }

    fn mpm_on_cpu(&self, scene: &Scene, frame_time: f64) -> anyhow::Result<Measured> {
        let body = std::slice::from_ref(&scene.body);
        let mut world = MlsMpm::new(scene.config(self.threads), body)?;
        world.tools.push(Scene::tool());
        ensure!(
            world.substep() >= SUBSTEP,
            "the substep is {SUBSTEP} s; with --grid {} it must be at most {:.2e} s",
            scene.grid,
            world.substep()
        );
        self.time_frames(
            N_WARMUP,
            &mut world,
            |world, frame| {
                scene.move_tool(&mut world.tools[0], f64::from(frame) * frame_time);
                world.step(frame_time).context("the scene diverged")
            },
            |world| Ok((world.positions(), world.wrench(0).force.into())),
        )
    }

    #[cfg(feature = "gpu")]
    fn mpm_on_gpu(
        &self,
        scene: &Scene,
        frame_time: f64,
        gpu: &insonate::tissue::gpu::Gpu,
    ) -> anyhow::Result<Measured> {
        use insonate::tissue::gpu::mpm::GpuMpm;
        let worlds = [vec![scene.body.clone()]];
        let mut world = GpuMpm::new(gpu, scene.config(1), &worlds)?;
        world.tools_mut(0).push(Scene::tool());
        self.time_frames(
            N_WARMUP,
            &mut world,
            |world, frame| {
                scene.move_tool(&mut world.tools_mut(0)[0], f64::from(frame) * frame_time);
                world.step(frame_time)?;
                match world.divergence(0) {
                    Some(reason) => anyhow::bail!("the scene diverged: {reason}"),
                    None => Ok(()),
                }
            },
            |world| Ok((world.positions(0)?, world.wrench(0, 0).force.into())),
        )
    }
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
    fn new(n: usize, grid: usize) -> anyhow::Result<Self> {
        ensure!(
            (16..=512).contains(&grid),
            "--grid is {grid}; it must be between 16 and 512"
        );
        let most = 100_000_000;
        ensure!(
            (100..=most).contains(&n),
            "--particles is {n}; it must be between 100 and {most}"
        );
        let cell_width = 1.0 / grid as f64;
        let volume = n as f64 / PER_CELL * cell_width.powi(3);
        let side = (2.0 * volume).cbrt();
        let room = 1.0 - 2.0 * (WALL_NODES as f64 + 1.0) * cell_width;
        ensure!(
            side < room,
            "{n} particles, eight in a cell, need a block of {side:.3} m, but the walls are {room:.3} m apart: take a finer --grid"
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
    fn move_tool(&self, tool: &mut Tool, time: f64) {
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

/// `n` points of a lattice in a block, jittered and in random order.
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
    let mut rng = NumpyRng::new();
    let mut chosen = rng.choice(across * across * up, n);
    chosen.sort_unstable();
    let placed: Vec<[f64; 3]> = chosen
        .into_iter()
        .map(|index| {
            let at = [index / (across * up), index / up % across, index % up];
            std::array::from_fn(|axis| {
                let jittered = at[axis] as f64 + 0.5 + 0.4 * (rng.random() - 0.5);
                let position = jittered * (size[axis] / counts[axis] as f64) + low[axis];
                f64::from(position as f32)
            })
        })
        .collect();
    let order = rng.permutation(n);
    order.into_iter().map(|index| placed[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_particles_are_the_peers_particles() {
        // First and last particle and sums, printed by the peers' scene with NumPy 2.4.6.
        let scene = Scene::new(24_000, 64).unwrap();
        let positions = &scene.body.positions;
        let near = |found: [f64; 3], expected: [f64; 3], tolerance: f64| {
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < tolerance, "{found} {expected}");
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
        let smaller = Scene::new(8_000, 64).unwrap();
        near(
            smaller.body.positions[0],
            [0.4418892, 0.4948262, 0.13438281],
            1e-7,
        );
    }

    #[test]
    fn a_block_beyond_the_walls_is_refused() {
        let error = Scene::new(1_000_000, 64)
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(error.contains("take a finer --grid"), "{error}");
    }
}

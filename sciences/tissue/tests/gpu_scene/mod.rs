//! Scenes for tests that compare the particle solver on the GPU with the one on the CPU.

use insonate_tissue::gpu::Gpu;
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::mpm::{MlsMpm, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool, Wrench};
use insonate_tissue::{Divergence, Material};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Width of a cell [m].
pub(crate) const CELL: f64 = 0.01;

/// Eight particles per cell, slightly displaced, in a box given in cells.
pub(crate) fn block(low: [usize; 3], size: [usize; 3], seed: u64) -> MpmBody {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::new();
    for i in 0..2 * size[0] {
        for j in 0..2 * size[1] {
            for k in 0..2 * size[2] {
                positions.push(std::array::from_fn(|axis| {
                    let place = [i, j, k][axis] as f64 + 0.5 + rng.random_range(-0.2..0.2);
                    (low[axis] as f64 + 0.5 * place) * CELL
                }));
            }
        }
    }
    MpmBody {
        material: Material {
            viscosity: 0.3,
            ..Material::default()
        },
        positions,
        velocity: [0.0; 3],
        particle_volume: (0.5 * CELL).powi(3),
        fixed: Vec::new(),
    }
}

/// A domain of 24 cells along each axis.
pub(crate) fn config() -> MpmConfig {
    MpmConfig {
        cell_width: CELL,
        cells: [24; 3],
        substep: 2e-4,
        walls: [
            [Wall::Separate; 2],
            [Wall::Slip; 2],
            [Wall::Sticky, Wall::Separate],
        ],
        n_threads: 1,
        ..MpmConfig::default()
    }
}

/// A tool above the centre of the domain that comes down, rotated and rotating, with friction.
pub(crate) fn press(shape: Shape, height: f64) -> Tool {
    Tool {
        position: Vector3::new(0.12, 0.12, height),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.1, -0.05, 0.4)),
        linear: Vector3::new(0.05, 0.0, -0.3),
        angular: Vector3::new(0.0, 0.5, 1.0),
        friction: 0.4,
        ..Tool::new(shape)
    }
}

/// Final state of worlds on the GPU or the CPU.
pub(crate) struct End {
    /// Positions of each world's particles [m].
    pub(crate) positions: Vec<Vec<[f64; 3]>>,
    /// Damage of each world's particles.
    pub(crate) damage: Vec<Vec<f32>>,
    /// Impulse on each tool of each world [N·s, N·m·s].
    pub(crate) impulses: Vec<Vec<Wrench>>,
}

fn add(sums: &mut [Wrench], time: f64, wrench: impl Fn(usize) -> Wrench) {
    for (tool, sum) in sums.iter_mut().enumerate() {
        sum.force += wrench(tool).force * time;
        sum.torque += wrench(tool).torque * time;
    }
}

/// Runs worlds with their tools on the GPU, then on the CPU.
pub(crate) fn both(
    gpu: &Gpu,
    config: &MpmConfig,
    worlds: &[Vec<MpmBody>],
    tools: &[Vec<Tool>],
    n_steps: usize,
    time: f64,
) -> [End; 2] {
    let none: Vec<_> = tools
        .iter()
        .map(|tools| vec![Wrench::default(); tools.len()])
        .collect();
    let mut batch = GpuMpm::new(gpu, config.clone(), worlds).expect("a world");
    for (i, tools) in tools.iter().enumerate() {
        batch.tools_mut(i).clone_from(tools);
    }
    let mut impulses = none.clone();
    for _ in 0..n_steps {
        batch.step(time).expect("a step");
        for (i, sums) in impulses.iter_mut().enumerate() {
            add(sums, time, |tool| batch.wrench(i, tool));
        }
    }
    let all = 0..worlds.len();
    let divergence: Vec<Option<Divergence>> = all.clone().map(|i| batch.divergence(i)).collect();
    assert!(divergence.iter().all(Option::is_none), "{divergence:?}");
    let found = End {
        positions: all
            .clone()
            .map(|i| batch.positions(i).expect("positions"))
            .collect(),
        damage: all.map(|i| batch.damage(i).expect("damage")).collect(),
        impulses,
    };
    let mut wanted = End {
        positions: Vec::new(),
        damage: Vec::new(),
        impulses: none,
    };
    for (i, bodies) in worlds.iter().enumerate() {
        let mut single = MlsMpm::new(config.clone(), bodies).expect("a world");
        single.tools.clone_from(&tools[i]);
        for _ in 0..n_steps {
            single.step(time).expect("a step");
            add(&mut wanted.impulses[i], time, |tool| single.wrench(tool));
        }
        assert!((batch.time(i) - single.time()).abs() < 1e-12);
        wanted.positions.push(single.positions());
        wanted.damage.push(single.damage());
    }
    [found, wanted]
}

/// Fails unless positions agree within a number of cells and impulses within a relative tolerance, and every tool has
/// an impulse.
pub(crate) fn assert_same([found, wanted]: &[End; 2], cells: f64, share: f64) {
    let mut is_near = true;
    for (i, (found, wanted)) in found.positions.iter().zip(&wanted.positions).enumerate() {
        assert_eq!(found.len(), wanted.len());
        let errors = found
            .iter()
            .zip(wanted)
            .map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm() / CELL);
        let furthest = errors.fold(0.0, f64::max);
        eprintln!("world {i}: within {furthest:.2e} cells");
        is_near &= furthest < cells;
    }
    let pairs = found.impulses.iter().zip(&wanted.impulses);
    for (i, (found, wanted)) in pairs.flat_map(|(a, b)| a.iter().zip(b)).enumerate() {
        assert!(wanted.force.norm() > 1e-4, "tool {i}: {wanted:?}");
        let force = (found.force - wanted.force).norm() / wanted.force.norm();
        let torque = (found.torque - wanted.torque).norm() / wanted.torque.norm();
        eprintln!("tool {i}: force within {force:.2e}, torque within {torque:.2e}");
        is_near &= force < share && torque < share;
    }
    assert!(is_near);
}

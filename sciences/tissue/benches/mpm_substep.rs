//! Substeps of the particle solver on one thread: a block on a sticky floor, pressed by a box.

#![expect(
    missing_docs,
    reason = "criterion's macro creates functions without documentation"
)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use insonate_tissue::mpm::{Contact, MlsMpm, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{ElasticLaw, Material, SoftTissue as _, Tearing};
use nalgebra::Vector3;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const CELL: f64 = 1.0 / 64.0;
const SUBSTEP: f64 = 5e-4;
/// Substeps in a measured step. It includes occasional sorts.
const N_SUBSTEPS: u32 = 25;

/// A block of cells with eight particles each, and a box in its top.
fn world(cells: [usize; 3], config: &MpmConfig, tearing: Option<Tearing>) -> MlsMpm {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut positions = Vec::new();
    for i in 0..8 * cells.iter().product::<usize>() {
        let [_, y, z] = cells.map(|n| 2 * n);
        let at = [i / (y * z), i / z % y, i % z];
        positions.push(std::array::from_fn(|axis| {
            let low = [
                32.0 - 0.5 * cells[0] as f64,
                32.0 - 0.5 * cells[1] as f64,
                3.0,
            ][axis];
            (low + 0.5 * (at[axis] as f64 + 0.5 + rng.random_range(-0.2..0.2))) * CELL
        }));
    }
    let body = MpmBody {
        material: Material {
            tearing,
            ..Material::default()
        },
        positions,
        velocity: [0.0; 3],
        particle_volume: (0.5 * CELL).powi(3),
        fixed: Vec::new(),
    };
    let mut config = MpmConfig {
        cell_width: CELL,
        substep: SUBSTEP,
        n_threads: 1,
        ..config.clone()
    };
    config.walls[2][0] = Wall::Sticky;
    let mut world = MlsMpm::new(config, &[body]).expect("the block is in the domain");
    let half = [0.06, 0.04, 0.05];
    world.tools.push(Tool {
        position: Vector3::new(0.5, 0.5, (3.0 + cells[2] as f64) * CELL + half[2] - 0.01),
        linear: Vector3::new(0.05, 0.0, 0.0),
        friction: 0.3,
        ..Tool::new(Shape::Cuboid { half })
    });
    world.step(0.1).expect("the scene is stable");
    world
}

fn substeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mpm_substep");
    group.sample_size(10);
    let tearing = Tearing {
        begins: 1.5,
        ends: 2.0,
    };
    let nodes = MpmConfig {
        contact: Contact::Nodes,
        ..MpmConfig::default()
    };
    let corotated = MpmConfig {
        law: ElasticLaw::FixedCorotated,
        ..MpmConfig::default()
    };
    for (name, cells, config, tearing) in [
        ("8k", [13, 13, 6], MpmConfig::default(), None),
        ("24k", [18, 18, 9], MpmConfig::default(), None),
        ("24k, contact of nodes", [18, 18, 9], nodes, None),
        ("24k, corotated", [18, 18, 9], corotated, None),
        (
            "24k, tearing",
            [18, 18, 9],
            MpmConfig::default(),
            Some(tearing),
        ),
        ("100k", [29, 29, 15], MpmConfig::default(), None),
    ] {
        let mut world = world(cells, &config, tearing);
        let (state, tools) = (world.save(), world.tools.clone());
        let n = world.n_particles() as u64 * u64::from(N_SUBSTEPS);
        group.throughput(Throughput::Elements(n));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_batched(
                || (),
                |()| {
                    world.tools.clone_from(&tools);
                    world.step(f64::from(N_SUBSTEPS) * SUBSTEP).expect("stable");
                },
                criterion::BatchSize::PerIteration,
            );
            world.restore(&state).expect("its own state");
        });
    }
    group.finish();
}

criterion_group!(benches, substeps);
criterion_main!(benches);

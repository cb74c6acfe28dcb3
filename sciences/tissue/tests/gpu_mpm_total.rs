//! Contract of the total Lagrangian formulation on the GPU: it agrees with the CPU, worlds of one body have a softness and substeps each, a world gives
//! the same bits alone and among others, states are restored bit-identically, and tools of infinite friction that move are refused.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod gpu_scene;

use gpu_driver::gpu;
use gpu_scene::{CELL, assert_same, block, both, press};
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::gpu::{Gpu, GpuError};
use insonate_tissue::mpm::{Formulation, MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool, Wrench};
use insonate_tissue::{ElasticLaw, Material, TissueError};
use nalgebra::Vector3;

const STEP: f64 = 2e-3;

fn config() -> MpmConfig {
    MpmConfig {
        formulation: Formulation::TotalLagrangian,
        gravity: [0.0; 3],
        substep: f64::INFINITY,
        ..gpu_scene::config()
    }
}

/// A block of two materials, whose lowest particles stand on the holder.
fn bodies() -> Vec<MpmBody> {
    let stiff = Material {
        young_modulus: 2.0 * block([8, 8, 3], [1, 1, 1], 0).material.young_modulus,
        ..block([8, 8, 3], [1, 1, 1], 0).material
    };
    vec![
        block([8, 8, 3], [4, 8, 4], 1),
        MpmBody {
            material: stiff,
            ..block([12, 8, 3], [4, 8, 4], 2)
        },
    ]
}

fn softer(bodies: &[MpmBody], [modulus, damping]: [f64; 2]) -> Vec<MpmBody> {
    let soften = |body: &MpmBody| MpmBody {
        material: Material {
            young_modulus: modulus * body.material.young_modulus,
            viscosity: modulus * damping * body.material.viscosity,
            ..body.material
        },
        ..body.clone()
    };
    bodies.iter().map(soften).collect()
}

fn holder() -> Tool {
    Tool {
        position: Vector3::new(0.0, 0.0, 0.0325),
        friction: f64::INFINITY,
        ..Tool::new(Shape::HalfSpace)
    }
}

fn tools() -> Vec<Tool> {
    vec![press(Shape::Sphere { radius: 0.02 }, 0.092), holder()]
}

/// Presses the first world of a batch; returns its state and wrenches.
fn pressed(batch: &mut GpuMpm, world: usize, n_steps: usize) -> (Vec<u8>, Wrench) {
    *batch.tools_mut(world) = tools();
    for _ in 0..n_steps {
        batch.step(STEP).expect("a step");
    }
    assert_eq!(batch.divergence(world), None);
    (batch.save(world).expect("a state"), batch.wrench(world, 0))
}

fn copies(gpu: &Gpu, n_worlds: usize) -> GpuMpm {
    GpuMpm::of_copies(gpu, config(), &bodies(), n_worlds).expect("worlds")
}

/// 200 substeps in single precision.
#[test]
fn it_is_the_solver_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for law in [ElasticLaw::NeoHookean, ElasticLaw::FixedCorotated] {
        let config = MpmConfig {
            substep: 2e-4,
            law,
            ..config()
        };
        let ends = both(&gpu, &config, &[bodies()], &[tools()], 20, STEP);
        assert_same(&ends, 1e-4, 1e-3);
    }
}

/// A world with a softness of its own is the CPU's world of such bodies, with the substeps of these, whatever its neighbours are: 0.1 % of the impulse and of the
/// stress, as bodies that were made so round their moduli elsewhere.
#[test]
fn each_world_has_its_softness() {
    let Some(gpu) = gpu() else { return };
    let softness = [[1.0, 1.0], [0.25, 2.0], [3.0, 0.0]];
    let mut batch = copies(&gpu, softness.len());
    let mut single = Vec::new();
    for (world, factors) in softness.into_iter().enumerate() {
        batch.set_softness(world, factors).expect("in range");
        *batch.tools_mut(world) = tools();
        let mut alone = MlsMpm::new(config(), &softer(&bodies(), factors)).expect("a world");
        assert_eq!(batch.substep(world), alone.substep(), "{factors:?}");
        alone.tools = tools();
        single.push(alone);
    }
    assert!(batch.substep(1) > 1.9 * batch.substep(0));
    let mut impulses = [[0.0; 2]; 3];
    for _ in 0..20 {
        batch.step(STEP).expect("a step");
        for (world, alone) in single.iter_mut().enumerate() {
            alone.step(STEP).expect("a step");
            impulses[world][0] += batch.wrench(world, 0).force.z;
            impulses[world][1] += alone.wrench(0).force.z;
        }
    }
    for (world, [found, wanted]) in impulses.into_iter().enumerate() {
        eprintln!("world {world}: {found:.5}, {wanted:.5} on the processor");
        assert!((found / wanted - 1.0).abs() < 1e-3, "{found} {wanted}");
        let stress =
            |all: insonate_tissue::TissueStress| all.von_mises().into_iter().fold(0.0, f64::max);
        let [found, wanted] = [
            stress(batch.stress(world).expect("stress")),
            stress(single[world].stress()),
        ];
        assert!((found / wanted - 1.0).abs() < 1e-3, "{found} {wanted}");
    }
    assert!(impulses[2][0] > 5.0 * impulses[1][0]);
}

#[test]
fn a_world_is_the_same_alone_and_among_others() {
    let Some(gpu) = gpu() else { return };
    let mut alone = copies(&gpu, 1);
    let wanted = pressed(&mut alone, 0, 10);
    assert!(wanted.1.force.z > 0.01, "{:?}", wanted.1);
    // Among a softer world, a stiffer one and one that rests; the first two rest in some steps.
    let mut batch = copies(&gpu, 4);
    for (world, modulus) in [(0, 0.3), (2, 4.0)] {
        batch.set_softness(world, [modulus, 1.0]).expect("in range");
        *batch.tools_mut(world) = tools();
    }
    *batch.tools_mut(1) = tools();
    for step in 0..10 {
        let moves = [step % 2 == 0, true, step > 5, false];
        batch.step_some(STEP, &moves).expect("a step");
    }
    assert_eq!(
        (batch.save(1).expect("a state"), batch.wrench(1, 0)),
        wanted
    );
    assert_eq!(batch.time(3), 0.0);
    assert!((batch.time(0) - 5.0 * STEP).abs() < 1e-12);
    let start = copies(&gpu, 1).save(0).expect("a state");
    assert_eq!(batch.save(3).expect("a state"), start);
    // A world that is reset repeats, and the others go on.
    let other = batch.save(2).expect("a state");
    batch.reset(&[1]).expect("a world");
    assert_eq!(batch.save(1).expect("a state"), start);
    *batch.tools_mut(1) = tools();
    for _ in 0..10 {
        let moves = [false, true, false, false];
        batch.step_some(STEP, &moves).expect("a step");
    }
    assert_eq!(batch.save(1).expect("a state"), wanted.0);
    assert_eq!(batch.save(2).expect("a state"), other);
}

#[test]
fn states_come_back_bit_by_bit() {
    let Some(gpu) = gpu() else { return };
    let mut world = copies(&gpu, 1);
    let (state, _) = pressed(&mut world, 0, 5);
    let tools = world.tools(0).to_vec();
    world.step(STEP).expect("a step");
    let end = world.save(0).expect("a state");
    let mut other = copies(&gpu, 2);
    other.restore(1, &state).expect("a state of such a world");
    assert_eq!(other.save(1).expect("a state"), state);
    *other.tools_mut(1) = tools;
    other.step(STEP).expect("a step");
    assert_eq!(other.save(1).expect("a state"), end);
    // A particle that was elsewhere at rest.
    let mut bytes = state;
    bytes[56..60].copy_from_slice(&9.0f32.to_le_bytes());
    let error = other.restore(0, &bytes).expect_err("another body");
    let GpuError::Tissue(TissueError::State(problem)) = &error else {
        panic!("{error}");
    };
    assert!(problem.contains("at rest"), "{problem}");
}

/// Weights at rest: a body that is pressed and released is as it was, to 1 % of a cell.
#[test]
fn the_shape_at_rest_comes_back() {
    let Some(gpu) = gpu() else { return };
    let mut world = copies(&gpu, 1);
    let rest = world.positions(0).expect("positions");
    pressed(&mut world, 0, 20);
    let furthest = |world: &GpuMpm| {
        let places = world.positions(0).expect("positions");
        let ways = places.iter().zip(&rest);
        let ways = ways.map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm());
        ways.fold(0.0, f64::max)
    };
    let dent = furthest(&world);
    assert!(dent > 0.2 * CELL, "{dent}");
    *world.tools_mut(0) = vec![holder()];
    world.set_softness(0, [1.0, 100.0]).expect("in range");
    for _ in 0..100 {
        world.step(STEP).expect("a step");
    }
    let left = furthest(&world);
    eprintln!("{left:.1e} m of {dent:.1e} m are left");
    assert!(left < 0.01 * CELL, "{left}");
}

#[test]
fn holders_that_move_are_refused() {
    let Some(gpu) = gpu() else { return };
    let mut world = copies(&gpu, 1);
    world.tools_mut(0).push(Tool {
        linear: Vector3::new(0.0, 0.0, 0.1),
        ..holder()
    });
    let error = world.step(STEP).expect_err("a holder that moves");
    let GpuError::Tissue(TissueError::Setting(setting)) = &error else {
        panic!("{error}");
    };
    assert_eq!(setting.field, "tool.linear");
    for (factors, field) in [
        ([0.0, 1.0], "factor of the modulus"),
        ([1.0, -1.0], "factor of the damping time"),
    ] {
        let error = world.set_softness(0, factors).expect_err("out of range");
        assert!(error.to_string().contains(field), "{error}");
    }
}

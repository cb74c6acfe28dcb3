//! Contract of the particle solver: it is the method in the equations (an oracle in f64), it conserves what the method conserves, it
//! gives the same bits on any number of threads, and what it cannot follow ends it with a reason.

#[expect(clippy::pedantic, reason = "read as mathematics")]
mod oracle;

use insonate_tissue::mpm::{MlsMpm, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Divergence, Material, TissueError};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use oracle::Oracle;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const CELL: f64 = 0.01;

/// Eight particles per cell, a little out of place, in a box given in cells.
fn block(low: [usize; 3], size: [usize; 3], seed: u64) -> MpmBody {
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
        material: Material::default(),
        positions,
        velocity: [0.0; 3],
        particle_volume: (0.5 * CELL).powi(3),
    }
}

fn config() -> MpmConfig {
    MpmConfig {
        cell_width: CELL,
        cells: [24; 3],
        substep: 2e-4,
        viscosity: 0.3,
        walls: [
            [Wall::Separate; 2],
            [Wall::Slip; 2],
            [Wall::Sticky, Wall::Separate],
        ],
        n_threads: 1,
        ..MpmConfig::default()
    }
}

/// A box that comes down on the block's top, turned and turning, with friction.
fn press(top: f64) -> Tool {
    Tool {
        position: Vector3::new(0.12, 0.12, top + 0.022),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.1, -0.05, 0.4)),
        linear: Vector3::new(0.05, 0.0, -0.3),
        angular: Vector3::new(0.0, 0.5, 1.0),
        friction: 0.4,
        ..Tool::new(Shape::Cuboid {
            half: [0.03, 0.02, 0.02],
        })
    }
}

#[test]
fn it_is_the_method_in_the_equations() {
    let (config, body) = (config(), block([8, 8, 3], [8, 8, 5], 1));
    let tool = press(0.08);
    let particle = |position: &[f64; 3]| oracle::Particle {
        position: (*position).into(),
        velocity: Vector3::zeros(),
        affine: Matrix3::zeros(),
        deformation_grad: Matrix3::identity(),
        material: body.material,
        volume: body.particle_volume,
    };
    let mut oracle = Oracle {
        cell_width: CELL,
        cells: config.cells,
        gravity: config.gravity.into(),
        viscosity: config.viscosity,
        walls: config.walls,
        contact_distance: config.contact_distance,
        particles: body.positions.iter().map(particle).collect(),
        tools: vec![tool.clone()],
        impulses: Vec::new(),
    };
    let (n_steps, n_substeps) = (20, 10u32);
    let mut world = MlsMpm::new(config.clone(), &[body]).unwrap();
    world.tools.push(tool);
    let mut impulse = [Vector3::zeros(); 2];
    for _ in 0..n_steps {
        let time = f64::from(n_substeps) * config.substep;
        world.step(time).unwrap();
        let wrench = world.wrench(0);
        impulse[0] += wrench.force * time;
        impulse[1] += wrench.torque * time;
        for _ in 0..n_substeps {
            oracle.substep(config.substep);
        }
    }
    let mut moved = 0.0f64;
    for (found, particle) in world.positions().iter().zip(&oracle.particles) {
        let error = (Vector3::from(*found) - particle.position).norm();
        // 200 substeps in f32 with positions up to 24 cells: some 1e-5 of a cell.
        assert!(error < 1e-4 * CELL, "{found:?} {:?}", particle.position);
        moved = moved.max((particle.position.z - 0.08).abs());
    }
    assert!(moved > 0.5 * CELL, "{moved}");
    for (found, wanted) in impulse.iter().zip(&oracle.impulses[0]) {
        assert!(wanted.norm() > 0.0);
        assert!(
            (found - wanted).norm() < 1e-3 * wanted.norm(),
            "{found:?} {wanted:?}"
        );
    }
}

#[test]
fn momentum_and_mass_are_conserved() {
    let config = MpmConfig {
        gravity: [0.0; 3],
        ..config()
    };
    let mut left = block([6, 9, 9], [4, 5, 5], 2);
    left.velocity = [0.4, 0.05, -0.02];
    let right = block([13, 10, 9], [4, 5, 5], 3);
    let mut world = MlsMpm::new(config, &[left, right]).unwrap();
    let (mass, momentum) = (world.mass(), world.momentum());
    world.step(0.06).unwrap();
    // They have met: the one that stood still moves.
    let velocities = world.velocities();
    assert!(
        velocities.last().unwrap()[0] > 0.05,
        "{:?}",
        velocities.last()
    );
    assert_eq!(world.mass(), mass);
    let scale = momentum[0].abs();
    for (now, before) in world.momentum().into_iter().zip(momentum) {
        // 300 substeps, each of which rounds at 6e-8.
        assert!((now - before).abs() < 1e-5 * scale, "{now} {before}");
    }
}

#[test]
fn what_falls_freely_falls_as_it_should() {
    let config = config();
    let body = block([9, 9, 14], [5, 5, 5], 4);
    let before = body.positions.clone();
    let mut world = MlsMpm::new(config.clone(), &[body]).unwrap();
    let n = 300.0;
    world.step(n * config.substep).unwrap();
    // Velocity first, then position: n (n + 1) / 2 steps of g Δt².
    let fall = config.gravity[2] * config.substep.powi(2) * n * (n + 1.0) / 2.0;
    for (now, before) in world.positions().iter().zip(&before) {
        assert!((now[2] - before[2] - fall).abs() < 1e-4 * fall.abs());
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let run = |n_threads: usize| {
        let config = MpmConfig {
            n_threads,
            ..config()
        };
        let mut world = MlsMpm::new(config, &[block([6, 6, 3], [12, 12, 6], 5)]).unwrap();
        world.tools.push(press(0.09));
        (0..10).for_each(|_| world.step(4e-3).unwrap());
        (world.positions(), world.velocities(), world.wrench(0))
    };
    let one = run(1);
    for n_threads in [2, 3, 8] {
        assert_eq!(run(n_threads), one, "{n_threads} threads");
    }
}

#[test]
fn what_cannot_be_followed_ends_with_a_reason() {
    let body = || block([8, 8, 3], [6, 6, 5], 6);
    let mut world = MlsMpm::new(config(), &[body()]).unwrap();
    world.tools.push(Tool {
        linear: Vector3::new(0.0, 0.0, -200.0),
        ..press(0.08)
    });
    let error = (0..50).find_map(|_| world.step(2e-4).err()).unwrap();
    assert!(
        matches!(
            error,
            TissueError::Diverged {
                reason: Divergence::TooFast { .. },
                ..
            }
        ),
        "{error}"
    );
    // And stays ended.
    assert_eq!(world.step(2e-4).unwrap_err(), error);
    let mut world = MlsMpm::new(config(), &[body()]).unwrap();
    world.tools.push(Tool {
        position: Vector3::new(f64::NAN, 0.0, 0.0),
        ..press(0.08)
    });
    assert!(
        matches!(world.step(2e-4), Err(TissueError::Setting { field, .. }) if field == "tool.position")
    );
    let mut outside = body();
    outside.positions[7][1] = -0.3;
    let error = MlsMpm::new(config(), &[outside]).unwrap_err();
    assert!(
        matches!(error, TissueError::Outside { particle: 7, .. }),
        "{error}"
    );
}

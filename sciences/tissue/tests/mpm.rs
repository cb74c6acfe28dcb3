//! Contract of the particle solver: it agrees with the equations of the method (an oracle in f64) and conserves the
//! same quantities. It gives the same bits on any number of threads, and stops with a reason if it diverges.

#[expect(clippy::pedantic, reason = "read as mathematics")]
mod oracle;

use insonate_tissue::mpm::{Formulation, MlsMpm, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Divergence, ElasticLaw, Material, SoftTissue as _, Tearing, TissueError};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use oracle::Oracle;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const CELL: f64 = 0.01;
const BOTH: [Formulation; 2] = [Formulation::UpdatedLagrangian, Formulation::TotalLagrangian];

/// Eight particles per cell, slightly displaced, in a box given in cells.
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

fn config() -> MpmConfig {
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

/// A box that comes down on the block's top, rotated and rotating, with friction.
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

/// A ball that comes up from the side, without friction.
fn nudge() -> Tool {
    Tool {
        position: Vector3::new(0.055, 0.12, 0.06),
        linear: Vector3::new(0.25, 0.0, 0.1),
        ..Tool::new(Shape::Sphere { radius: 0.02 })
    }
}

/// A clamp that pulls at the other side.
fn clamp() -> Tool {
    Tool {
        // No node lies exactly on the boundary of the clamp.
        position: Vector3::new(0.172, 0.12, 0.05),
        linear: Vector3::new(0.05, 0.1, 0.0),
        angular: Vector3::new(0.0, 0.0, 1.0),
        friction: f64::INFINITY,
        ..Tool::new(Shape::Cuboid {
            half: [0.015, 0.03, 0.02],
        })
    }
}

/// Within 1e-4 cells of an oracle in f64 after 200 substeps.
#[test]
fn it_is_the_method_of_the_equations() {
    for law in [ElasticLaw::NeoHookean, ElasticLaw::FixedCorotated] {
        let config = MpmConfig { law, ..config() };
        let body = block([8, 8, 3], [8, 8, 5], 1);
        compare(&config, &body, &[press(0.08), nudge()]);
        compare(&config, &body, &[press(0.08), nudge(), clamp()]);
        let config = MpmConfig {
            formulation: Formulation::TotalLagrangian,
            ..config
        };
        compare(&config, &body, &[press(0.08), nudge()]);
    }
}

fn compare(config: &MpmConfig, body: &MpmBody, tools: &[Tool]) {
    let particle = |position: &[f64; 3]| oracle::Particle {
        rest: (*position).into(),
        position: (*position).into(),
        velocity: Vector3::zeros(),
        affine: Matrix3::zeros(),
        deformation_grad: Matrix3::identity(),
        material: body.material,
        volume: body.particle_volume,
        slip: Vector3::zeros(),
        kick: Matrix3::zeros(),
    };
    let mut oracle = Oracle {
        cell_width: CELL,
        cells: config.cells,
        gravity: config.gravity.into(),
        law: config.law,
        formulation: config.formulation,
        walls: config.walls,
        contact_distance: config.contact_distance,
        particles: body.positions.iter().map(particle).collect(),
        tools: tools.to_vec(),
        impulses: Vec::new(),
    };
    let (n_steps, n_substeps) = (20, 10u32);
    let mut world = MlsMpm::new(config.clone(), std::slice::from_ref(body)).expect("valid");
    world.tools = tools.to_vec();
    let mut impulse = vec![[Vector3::zeros(); 2]; tools.len()];
    for _ in 0..n_steps {
        let time = f64::from(n_substeps) * config.substep;
        world.step(time).expect("stable");
        for (index, sum) in impulse.iter_mut().enumerate() {
            let wrench = world.wrench(index);
            sum[0] += wrench.force * time;
            sum[1] += wrench.torque * time;
        }
        for _ in 0..n_substeps {
            oracle.substep(config.substep);
        }
    }
    let (mut greatest, mut moved) = (0.0f64, 0.0f64);
    for (found, particle) in world.positions().iter().zip(&oracle.particles) {
        let error = (Vector3::from(*found) - particle.position).norm();
        greatest = greatest.max(error);
        moved = moved.max((particle.position.z - 0.08).abs());
    }
    // 200 substeps in f32 with positions up to 24 cells: some 1e-5 of a cell.
    assert!(greatest < 1e-4 * CELL, "{greatest}");
    assert!(moved > 0.5 * CELL, "{moved}");
    for (found, wanted) in impulse
        .iter()
        .flatten()
        .zip(oracle.impulses.iter().flatten())
    {
        // The torque on a frictionless ball is rounding only.
        let scale = wanted.norm().max(1e-6);
        assert!(
            (found - wanted).norm() < 1e-3 * scale,
            "{found:?} {wanted:?}"
        );
    }
    let forces = oracle.impulses.iter().map(|[force, _]| force.norm());
    assert!(forces.fold(f64::INFINITY, f64::min) > 1e-3);
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
    // They have collided: the one at rest moves now.
    let velocities = world.velocities();
    assert!(
        velocities.last().unwrap()[0] > 0.05,
        "{:?}",
        velocities.last()
    );
    assert_eq!(world.mass(), mass);
    let scale = momentum[0].abs();
    for (now, before) in world.momentum().into_iter().zip(momentum) {
        // 300 substeps, with rounding at 6e-8 each.
        assert!((now - before).abs() < 1e-5 * scale, "{now} {before}");
    }
}

/// Within 1e-4 of n (n + 1) g Δt² / 2.
#[test]
fn free_fall_is_that_of_symplectic_euler() {
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
    let run = |formulation: Formulation, n_threads: usize| {
        let config = MpmConfig {
            formulation,
            n_threads,
            ..config()
        };
        let mut world = MlsMpm::new(config, &[block([6, 6, 3], [12, 12, 6], 5)]).unwrap();
        world.tools.push(press(0.09));
        (0..10).for_each(|_| world.step(4e-3).unwrap());
        (world.positions(), world.velocities(), world.wrench(0))
    };
    for formulation in BOTH {
        let one = run(formulation, 1);
        for n_threads in [2, 3, 8] {
            assert_eq!(run(formulation, n_threads), one, "{n_threads} threads");
        }
    }
}

/// A pressed world, some steps from the start.
fn pressed(formulation: Formulation) -> MlsMpm {
    let config = MpmConfig {
        formulation,
        ..config()
    };
    let mut world = MlsMpm::new(config, &[block([6, 6, 3], [12, 12, 6], 5)]).expect("valid");
    world.tools.push(press(0.09));
    (0..5).for_each(|_| world.step(4e-3).expect("stable"));
    world
}

#[test]
fn a_saved_state_resumes_bit_identically() {
    BOTH.into_iter().for_each(resumes_bit_identically);
}

fn resumes_bit_identically(formulation: Formulation) {
    let mut world = pressed(formulation);
    let (state, tools) = (world.save(), world.tools.clone());
    let go_on = |world: &mut MlsMpm| {
        world.tools.clone_from(&tools);
        (0..5).for_each(|_| world.step(4e-3).expect("stable"));
        (world.save(), world.wrench(0))
    };
    let wanted = go_on(&mut world);
    let mut other = pressed(formulation);
    other.reset();
    other.restore(&state).expect("a whole state");
    assert_eq!(other.save(), state);
    assert!(go_on(&mut other) == wanted);
    // From the start again: the same result as the first time.
    other.reset();
    other.tools = vec![press(0.09)];
    (0..5).for_each(|_| other.step(4e-3).expect("stable"));
    assert!(other.save() == state);
}

#[test]
fn invalid_states_are_refused() {
    let mut world = pressed(Formulation::default());
    let state = world.save();
    let mut nan = state.clone();
    nan[60..64].copy_from_slice(&f32::NAN.to_le_bytes());
    for wrong in [&state[..100], &[], &nan, &[&state[..], &[0]].concat()] {
        let error = world.restore(wrong).unwrap_err();
        assert!(matches!(error, TissueError::State(_)), "{error}");
        assert!(world.save() == state);
    }
}

#[test]
fn overstretched_tissue_tears() {
    let tearing = Tearing {
        begins: 1.3,
        ends: 1.6,
    };
    let pull = |tearing: Option<Tearing>| {
        let mut body = block([7, 10, 10], [10, 4, 4], 7);
        body.material.tearing = tearing;
        let config = MpmConfig {
            gravity: [0.0; 3],
            ..config()
        };
        let mut world = MlsMpm::new(config, &[body]).expect("valid");
        for (x, speed) in [(0.085, -0.2), (0.155, 0.2)] {
            world.tools.push(Tool {
                position: Vector3::new(x, 0.12, 0.12),
                linear: Vector3::new(speed, 0.0, 0.0),
                friction: f64::INFINITY,
                ..Tool::new(Shape::Cuboid {
                    half: [0.015, 0.03, 0.03],
                })
            });
        }
        // Stretched to 1.6 at half time and to 2.2 at the end, if it does not tear.
        let forces = [0.06, 0.06].map(|time| {
            world.step(time).expect("stable");
            world.step(1e-2).expect("stable");
            world.wrench(1).force.x
        });
        let torn = world.damage().into_iter().fold(0.0, f32::max);
        (forces, torn)
    };
    let (whole, none) = pull(None);
    assert!(
        whole[1] < whole[0] && whole[0] < 0.0 && none == 0.0,
        "{whole:?}"
    );
    let (torn, all) = pull(Some(tearing));
    assert_eq!(all, 1.0);
    assert!(torn[1].abs() < 0.05 * whole[1].abs(), "{torn:?} {whole:?}");
}

#[test]
fn fast_tools_shorten_the_substep() {
    let mut world = MlsMpm::new(config(), &[block([8, 8, 3], [6, 6, 5], 6)]).unwrap();
    world.tools.push(Tool {
        linear: Vector3::new(0.0, 0.0, -20.0),
        ..press(0.08)
    });
    assert!(world.substep() < config().substep);
    world.step(4e-3).unwrap();
    assert!(world.wrench(0).force.z > 0.0);
    // A tool that starts inside the tissue, and one that rotates like a drill.
    world.tools[0] = Tool {
        position: Vector3::new(0.11, 0.11, 0.04),
        angular: Vector3::new(0.0, 0.0, 300.0),
        ..press(0.08)
    };
    for _ in 0..20 {
        world.step(2e-3).unwrap();
    }
    assert!(world.positions().iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn divergence_has_a_reason() {
    let body = || block([8, 8, 3], [6, 6, 5], 6);
    let blown = MpmConfig {
        gravity: [1e4, 0.0, 0.0],
        ..config()
    };
    let mut world = MlsMpm::new(blown, &[body()]).unwrap();
    let error = world.step(0.01).unwrap_err();
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
    // It stays stopped until a reset.
    assert_eq!(world.step(2e-4).unwrap_err(), error);
    world.reset();
    world.step(2e-4).unwrap();
    let mut world = MlsMpm::new(config(), &[body()]).unwrap();
    world.tools.push(Tool {
        position: Vector3::new(f64::NAN, 0.0, 0.0),
        ..press(0.08)
    });
    assert!(
        matches!(world.step(2e-4), Err(TissueError::Setting(error)) if error.field == "tool.position")
    );
    for nowhere in [-0.3, f64::NAN, 1e30] {
        let mut outside = body();
        outside.positions[7][1] = nowhere;
        let error = MlsMpm::new(config(), &[outside]).unwrap_err();
        assert!(
            matches!(error, TissueError::Outside { particle: 7, .. }),
            "{error}"
        );
    }
}

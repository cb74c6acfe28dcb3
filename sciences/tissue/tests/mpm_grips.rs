//! Contract of held particles in the particle solver: they move with their holder without slip, the force on the holder
//! is opposite to the force on the tissue, and results have the same bits on any number of threads and from a saved
//! state.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_tissue::mpm::{MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Graspable as _, Material, SoftTissue as _, TissueError};
use nalgebra::{Matrix3, Vector3};

const CELL: f64 = 0.01;
const GRAVITY: f64 = 9.81;

/// Lower corner of the block, and its centre [m].
const LOW: [f64; 3] = [0.10, 0.10, 0.10];
const MIDDLE: [f64; 3] = [0.12, 0.12, 0.115];

fn config(n_threads: usize) -> MpmConfig {
    MpmConfig {
        cell_width: CELL,
        cells: [24, 24, 32],
        n_threads,
        ..MpmConfig::default()
    }
}

/// A block of 4 × 4 × 3 cells in the air, 48 g.
fn block() -> MpmBody {
    let at = |i: usize, low: f64| low + 0.5 * CELL * (i as f64 + 0.5);
    let positions = (0..8 * 8 * 6)
        .map(|i| [at(i / 48, LOW[0]), at(i / 6 % 8, LOW[1]), at(i % 6, LOW[2])])
        .collect();
    MpmBody {
        material: Material {
            viscosity: 10.0,
            ..Material::default()
        },
        positions,
        particle_volume: (0.5 * CELL).powi(3),
        ..MpmBody::default()
    }
}

/// The block, with its two lowest layers of particles fixed.
fn fixed_block() -> MpmBody {
    MpmBody {
        fixed: (0..8 * 8 * 6).filter(|i| i % 6 < 2).collect(),
        ..block()
    }
}

/// A tool that holds, too small to touch anything.
fn grip(at: [f64; 3]) -> Tool {
    Tool {
        position: at.into(),
        ..Tool::new(Shape::Sphere { radius: 1e-6 })
    }
}

/// In the middle of the block's top, one cell deep.
fn top() -> [f64; 3] {
    [MIDDLE[0], MIDDLE[1], 0.13 - CELL]
}

/// A world whose only tool holds the particles within a cell of its position.
fn bitten(n_threads: usize, body: MpmBody, at: [f64; 3]) -> MlsMpm {
    let mut world = MlsMpm::new(config(n_threads), &[body]).unwrap();
    world.tools.push(grip(at));
    let n = world.grasp(0, Vector3::from(at), CELL, usize::MAX);
    assert!((20..50).contains(&n), "{n} particles are held");
    assert_eq!(world.grasped(0).len(), n);
    world
}

fn middle(positions: &[[f64; 3]]) -> Vector3<f64> {
    let sum: Vector3<f64> = positions.iter().map(|at| Vector3::from(*at)).sum();
    sum / positions.len() as f64
}

/// Greatest displacement of held particles in the tool's frame [m].
fn slip(world: &MlsMpm, start: &[[f64; 3]], from: &Tool) -> f64 {
    let (positions, to) = (world.positions(), &world.tools[0]);
    let local = |tool: &Tool, at: [f64; 3]| {
        tool.rotation
            .inverse_transform_vector(&(Vector3::from(at) - tool.position))
    };
    let slips = world.grasped(0).into_iter().map(|particle| {
        let particle = particle as usize;
        (local(to, positions[particle]) - local(from, start[particle])).norm()
    });
    slips.fold(0.0, f64::max)
}

#[test]
fn a_grip_of_one_cell_lifts_a_block_without_slip() {
    let mut world = bitten(1, block(), top());
    let (start, from) = (world.positions(), world.tools[0].clone());
    world.tools[0].linear = Vector3::new(0.02, 0.0, 0.1);
    world.step(0.5).unwrap();
    world.tools[0].linear = Vector3::zeros();
    world.step(0.5).unwrap();
    let before = world.positions();
    world.step(1.0).unwrap();
    let after = world.positions();
    // Up to the rounding of positions in f32.
    let slipped = slip(&world, &start, &from) / CELL;
    eprintln!("slip: {slipped:.1e} cells");
    assert!(slipped < 1e-5);
    // It hangs still, 5 cm higher minus the sag, and no particle is lost.
    let crept = before
        .iter()
        .zip(&after)
        .map(|(before, after)| (Vector3::from(*after) - Vector3::from(*before)).norm())
        .fold(0.0, f64::max);
    eprintln!("way of what hangs in a second: {:.1e} cells", crept / CELL);
    assert!(crept < 0.01 * CELL, "crept by {crept} m in a second");
    let way = middle(&after) - middle(&start);
    assert!(
        (way.x - 0.01).abs() < 1e-4 && (0.04..0.05).contains(&way.z),
        "{way}"
    );
    let lowest = after.iter().map(|at| at[2]).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.13, "{lowest}");
    let weight = world.mass() * GRAVITY;
    let force = world.wrench(0).force;
    assert!((force.z / weight + 1.0).abs() < 0.01, "{force}, {weight} N");
    eprintln!("weight: {:.2} %", 1e2 * (-force.z / weight - 1.0));
    // Released particles fall freely.
    world.release(0);
    world.step(0.05).unwrap();
    let fall = world.momentum()[2] / world.mass() / 0.05;
    assert!((fall / GRAVITY + 1.0).abs() < 0.01, "{fall} m/s²");
    assert_eq!(world.wrench(0).force, Vector3::zeros());
}

#[test]
fn the_torque_is_that_of_the_weight_about_the_tool() {
    let mut world = bitten(1, block(), top());
    world.release(0);
    // Another tool, whose origin is away from the held particles, holds it by the side.
    world.tools[0] = grip([0.05, 0.13, 0.12]);
    let at = Vector3::new(LOW[0] + CELL, MIDDLE[1], MIDDLE[2]);
    assert!(world.grasp(0, at, 1.2 * CELL, usize::MAX) > 20);
    world.step(2.0).unwrap();
    world.step(0.2).unwrap();
    let arm = middle(&world.positions()) - world.tools[0].position;
    let weight = Vector3::new(0.0, 0.0, -world.mass() * GRAVITY);
    let (force, torque) = (world.wrench(0).force, world.wrench(0).torque);
    assert!((force - weight).norm() < 0.01 * weight.norm(), "{force}");
    let wanted = arm.cross(&weight);
    let error = (torque - wanted).norm() / wanted.norm();
    eprintln!("torque: {:.2} %", 1e2 * error);
    assert!(
        (torque - wanted).norm() < 0.01 * wanted.norm(),
        "{torque} {wanted}"
    );
}

#[test]
fn held_particles_turn_with_the_tool_and_do_not_stretch() {
    let mut world = bitten(1, block(), MIDDLE);
    let (start, from) = (world.positions(), world.tools[0].clone());
    world.tools[0].angular = Vector3::new(0.0, 1.0, 4.0);
    for _ in 0..30 {
        world.step(0.05).unwrap();
    }
    let slipped = slip(&world, &start, &from) / CELL;
    eprintln!("slip of what turns: {slipped:.1e} cells");
    assert!(slipped < 1e-5);
    let grads = world.deformation_grads();
    let mut strain = 0.0f64;
    for particle in world.grasped(0) {
        let grad = Matrix3::from_row_slice(&grads[particle as usize].map(f64::from));
        strain = strain.max((grad.transpose() * grad - Matrix3::identity()).norm());
        let turn = world.tools[0].rotation.to_rotation_matrix().into_inner();
        assert!((grad - turn).norm() < 1e-3, "{grad} {turn}");
    }
    eprintln!("strain of what turns: {strain:.1e}");
    // With v + ω × r at the nodes the strain would be ω² Δt t, a hundred times as much.
    assert!(strain < 1e-4, "{strain}");
}

#[test]
fn momentum_with_grips_is_conserved() {
    let mut world = bitten(1, fixed_block(), top());
    world.tools[0].angular = Vector3::new(0.5, 0.0, 2.0);
    world.tools[0].linear = Vector3::new(0.05, 0.0, 0.08);
    // A ball that comes from the side.
    world.tools.push(Tool {
        position: Vector3::new(0.08, 0.12, 0.12),
        linear: Vector3::new(0.1, 0.0, 0.0),
        friction: 0.3,
        ..Tool::new(Shape::Sphere { radius: 0.015 })
    });
    let gravity = Vector3::new(0.0, 0.0, -world.mass() * GRAVITY);
    let (mut given, mut exchanged) = (Vector3::zeros(), 0.0);
    let step = 0.01;
    for _ in 0..20 {
        world.step(step).unwrap();
        let forces = [
            -world.wrench(0).force,
            -world.wrench(1).force,
            -world.fixed_wrench().force,
            gravity,
        ];
        for force in forces {
            given += force * step;
            exchanged += force.norm() * step;
        }
    }
    assert!(world.wrench(0).force.norm() > 0.1 && world.wrench(1).force.norm() > 0.1);
    let gained = Vector3::from(world.momentum());
    let residual = (gained - given).norm() / exchanged;
    eprintln!("momentum: {residual:.1e}");
    assert!(residual < 1e-6, "{gained} {given}: {residual}");
}

#[test]
fn fixed_particles_stand_still_bit_by_bit_and_bear_the_weight() {
    let body = fixed_block();
    let mut world = MlsMpm::new(config(1), std::slice::from_ref(&body)).unwrap();
    let start = world.positions();
    world.step(1.5).unwrap();
    world.step(0.1).unwrap();
    let weight = world.mass() * GRAVITY;
    let force = world.fixed_wrench().force;
    assert!((force.z / weight + 1.0).abs() < 0.01, "{force}, {weight} N");
    // Held particles right above them, which share nodes with them, pull at the tissue between.
    let at = [MIDDLE[0], MIDDLE[1], LOW[2] + 1.5 * CELL];
    world.tools.push(grip(at));
    assert!(world.grasp(0, Vector3::from(at), CELL, usize::MAX) > 10);
    world.tools[0].linear = Vector3::new(0.05, 0.02, 0.1);
    world.step(0.1).unwrap();
    let (end, velocities) = (world.positions(), world.velocities());
    for fixed in &body.fixed {
        let fixed = *fixed as usize;
        assert_eq!(start[fixed], end[fixed]);
        assert_eq!(velocities[fixed], [0.0; 3]);
    }
    let way = middle(&end) - middle(&start);
    assert!(way.z > 0.1 * CELL, "the rest follows the tool: {way}");
    // A reset releases held particles, but not fixed ones.
    world.reset();
    assert!(world.grasped(0).is_empty());
    world.step(0.05).unwrap();
    let end = world.positions();
    assert!(
        body.fixed
            .iter()
            .all(|i| start[*i as usize] == end[*i as usize])
    );
    assert_ne!(start, end);
}

/// Rotating held particles, fixed particles and a tool that presses.
fn busy(n_threads: usize) -> MlsMpm {
    let mut world = bitten(n_threads, fixed_block(), top());
    world.tools[0].angular = Vector3::new(0.3, -0.2, 1.0);
    world.tools[0].linear = Vector3::new(0.02, 0.05, 0.06);
    world.tools.push(Tool {
        position: Vector3::new(0.08, 0.12, 0.12),
        linear: Vector3::new(0.1, 0.0, 0.0),
        friction: 0.3,
        ..Tool::new(Shape::Sphere { radius: 0.015 })
    });
    world
}

#[test]
fn bits_do_not_depend_on_threads() {
    let run = |n_threads: usize| {
        let mut world = busy(n_threads);
        world.step(0.05).unwrap();
        world.step(0.05).unwrap();
        (
            world.save(),
            world.wrench(0),
            world.wrench(1),
            world.fixed_wrench(),
        )
    };
    let one = run(1);
    for n_threads in [2, 3] {
        assert!(one == run(n_threads), "{n_threads} threads");
    }
}

#[test]
fn a_saved_state_resumes_with_its_grips() {
    let mut world = busy(1);
    world.step(0.05).unwrap();
    let (saved, tools) = (world.save(), world.tools.clone());
    // A new world, and one that holds other particles.
    let mut fresh = MlsMpm::new(config(1), &[fixed_block()]).unwrap();
    let mut other = bitten(1, fixed_block(), [0.11, 0.11, 0.12]);
    world.step(0.05).unwrap();
    for copy in [&mut fresh, &mut other] {
        copy.restore(&saved).unwrap();
        assert_eq!(copy.save(), saved);
        copy.tools.clone_from(&tools);
        copy.step(0.05).unwrap();
        assert!(copy.save() == world.save());
        assert_eq!(copy.wrench(0), world.wrench(0));
        assert_eq!(copy.fixed_wrench(), world.fixed_wrench());
    }
    // Truncated, of another version, or with unknown held particles.
    let mut strange = saved.clone();
    let at = strange.len() - 32;
    strange[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut old = saved.clone();
    old[7] = b'2';
    for bad in [&saved[..saved.len() - 1], &strange, &old] {
        let error = fresh.restore(bad).unwrap_err();
        assert!(matches!(error, TissueError::State(_)), "{error}");
    }
    assert!(fresh.save() == world.save(), "nothing has changed");
}

#[test]
fn unknown_tools_and_particles_are_refused() {
    let body = MpmBody {
        fixed: vec![384],
        ..block()
    };
    let error = MlsMpm::new(config(1), &[body]).unwrap_err().to_string();
    assert_eq!(error, "body.fixed is 384; it must be below 384");
    let mut world = MlsMpm::new(config(1), &[fixed_block()]).unwrap();
    let error = world.grasp_particles(0, &[3]).unwrap_err().to_string();
    assert_eq!(error, "tool is 0; it must be below 0");
    assert_eq!(world.grasp(0, Vector3::from(top()), CELL, usize::MAX), 0);
    world.tools = vec![grip(top()), grip(top())];
    let error = world.grasp_particles(0, &[3, 384]).unwrap_err().to_string();
    assert_eq!(error, "particles is 384; it must be below 384");
    // Particle 0 is fixed; particle 3 is held only once.
    assert_eq!(world.grasp_particles(1, &[0, 3, 4, 3]).unwrap(), 2);
    assert_eq!(world.grasp_particles(0, &[3, 5]).unwrap(), 1);
    assert_eq!((world.grasped(0), world.grasped(1)), (vec![5], vec![3, 4]));
    // The nearest come first.
    let near = Vector3::from(world.positions()[11]);
    assert_eq!(world.grasp(0, near, CELL, 1), 1);
    assert_eq!(world.grasped(0), vec![5, 11]);
    // Particles of a removed tool are free.
    world.tools.pop();
    world.step(1e-3).unwrap();
    assert_eq!((world.grasped(0), world.grasped(1)), (vec![5, 11], vec![]));
}

//! Contract of a finite reach: force and tissue motion near the tool are nearly unchanged, tissue out of reach does not
//! move, all forces are accounted for, and restored states continue identically on any number of threads.

use insonate_tissue::mpm::{Formulation, MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Material, SoftTissue as _, TissueError};
use nalgebra::Vector3;

const CELL: f64 = 0.015;
/// A slab of 30 × 12 × 6 cm on the table.
const SIZE: [f64; 3] = [0.3, 0.12, 0.06];
/// Reach of the window that the tests compare with the whole slab [m].
const REACH: f64 = 0.06;

fn config(reach: f64, n_threads: usize) -> MpmConfig {
    let margin = 8.0 * CELL;
    MpmConfig {
        origin: [-margin; 3],
        cell_width: CELL,
        cells: SIZE.map(|size| ((size + 2.0 * margin) / CELL).ceil() as usize),
        gravity: [0.0; 3],
        active_radius: reach,
        n_threads,
        ..MpmConfig::default()
    }
}

fn slab() -> MpmBody {
    let spacing = 0.5 * CELL;
    let [n_x, n_y, n_z] = SIZE.map(|size| (size / spacing).round() as usize);
    let place = |i: usize| (i as f64 + 0.5) * spacing;
    let positions = (0..n_x * n_y * n_z).map(|index| {
        [
            place(index / (n_y * n_z)),
            place(index / n_z % n_y),
            place(index % n_z),
        ]
    });
    MpmBody {
        material: Material {
            young_modulus: 2e4,
            poisson_ratio: 0.4,
            density: 1000.0,
            viscosity: 20.0,
            tearing: None,
        },
        positions: positions.collect(),
        particle_volume: spacing.powi(3),
        ..MpmBody::default()
    }
}

/// A slab on a table, and a ball that is 1 cm deep near one end and will slide to the other.
fn pressed(config: MpmConfig) -> MlsMpm {
    let mut world = MlsMpm::new(config, &[slab()]).expect("a valid slab");
    world.tools.push(Tool {
        position: Vector3::z() * 1e-4,
        friction: f64::INFINITY,
        ..Tool::new(Shape::HalfSpace)
    });
    world.tools.push(Tool {
        position: Vector3::new(0.08, 0.06, 0.085),
        linear: Vector3::new(0.0, 0.0, -0.1),
        friction: 0.1,
        ..Tool::new(Shape::Sphere { radius: 0.025 })
    });
    world.step(0.1).expect("stable");
    world.tools[1].linear = Vector3::new(0.2, 0.0, 0.0);
    world
}

/// Mean force on the ball along z over a slide of 14 cm [N].
fn slide(world: &mut MlsMpm) -> f64 {
    let forces = (0..70).map(|_| {
        world.step(0.01).expect("stable");
        world.wrench(1).force.z
    });
    forces.sum::<f64>() / 70.0
}

fn way(from: &[f64; 3], to: &[f64; 3]) -> f64 {
    (Vector3::from(*from) - Vector3::from(*to)).norm()
}

#[test]
fn a_reach_beyond_the_body_changes_no_bit() {
    let [mut whole, mut wide] = [f64::INFINITY, 1.0].map(|reach| pressed(config(reach, 1)));
    assert_eq!(slide(&mut whole), slide(&mut wide));
    assert_eq!(whole.positions(), wide.positions());
}

/// The force is within 8 % of that of the whole slab. Tissue nearer than 3 cm to the ball is within 1 mm, a tenth of
/// the dent, of its position in the whole slab. By Boussinesq a point force moves tissue at a distance of 6 cm by a
/// seventh of the motion at the ball's edge, and this tissue is fixed here.
#[test]
fn a_tool_meets_about_the_same_and_what_is_far_stands_still() {
    let [mut whole, mut near] = [f64::INFINITY, REACH].map(|reach| pressed(config(reach, 1)));
    let start = slab().positions;
    for (from, to) in start.iter().zip(near.positions()) {
        assert!(from[0] < 0.2 || way(from, &to) < 1e-7, "{from:?} {to:?}");
    }
    let [wanted, found] = [slide(&mut whole), slide(&mut near)];
    eprintln!("{found:.3} N of {wanted:.3} N");
    assert!(wanted > 1.0, "{wanted}");
    assert!((found / wanted - 1.0).abs() < 0.08, "{found} {wanted}");
    let (wanted, found) = (whole.positions(), near.positions());
    let ball: [f64; 3] = near.tools[1].position.into();
    let around = |place: &[f64; 3]| way(place, &ball) < 0.025 + 0.03;
    let pairs = wanted.iter().zip(&found);
    let errors = pairs
        .filter(|(place, _)| around(place))
        .map(|(wanted, found)| way(wanted, found));
    let most = errors.fold(0.0, f64::max);
    eprintln!("{:.2} mm from the place in the whole slab", 1e3 * most);
    assert!(most < 1e-3, "{most}");
    // The tissue that was pressed and left behind has recovered within a tenth of the depth.
    for (from, to) in start.iter().zip(&found).filter(|(from, _)| from[0] < 0.1) {
        assert!(way(from, to) < 1e-3, "{from:?} {to:?}");
    }
}

/// The force on the ball equals the forces on table and resting tissue, within 1 % at rest.
#[test]
fn all_forces_are_accounted_for() {
    let mut world = pressed(config(REACH, 1));
    world.tools[1].linear = Vector3::zeros();
    world.step(0.3).expect("stable");
    world.step(0.1).expect("stable");
    let [table, ball] = [0, 1].map(|tool| world.wrench(tool).force);
    let edge = world.fixed_wrench().force;
    eprintln!("ball {ball:?}, table {table:?}, edge {edge:?}");
    assert!(ball.z > 1.0 && edge.norm() > 0.01, "{ball} {edge}");
    assert!((table + ball + edge).norm() < 0.01 * ball.z);
}

#[test]
fn a_restored_state_goes_on_as_the_saved_one() {
    for formulation in [Formulation::UpdatedLagrangian, Formulation::TotalLagrangian] {
        goes_on_as_the_saved_one(formulation);
    }
}

fn goes_on_as_the_saved_one(formulation: Formulation) {
    let config = |reach: f64, n_threads: usize| MpmConfig {
        formulation,
        ..config(reach, n_threads)
    };
    let mut world = pressed(config(REACH, 1));
    slide(&mut world);
    let state = world.save();
    let tools = world.tools.clone();
    let go = |world: &mut MlsMpm| {
        world.tools[1].linear = Vector3::new(-0.2, 0.0, 0.0);
        slide(world)
    };
    let (wanted, end) = (go(&mut world), world.positions());
    // Restored into a world that was elsewhere and into a new one; on more threads.
    let fresh = MlsMpm::new(config(REACH, 2), &[slab()]).expect("valid");
    for mut other in [world, fresh] {
        other.restore(&state).expect("valid");
        assert_eq!(other.save(), state);
        other.tools.clone_from(&tools);
        assert_eq!(go(&mut other), wanted);
        assert_eq!(other.positions(), end);
    }
    // A world in which everything moves has no resting particles.
    let mut whole = MlsMpm::new(config(f64::INFINITY, 1), &[slab()]).expect("valid");
    let refused = whole.restore(&state).expect_err("all moves");
    assert!(matches!(refused, TissueError::State(_)), "{refused}");
}

#[test]
fn held_particles_move_with_the_tool_out_of_reach() {
    let mut world = pressed(config(REACH, 1));
    world.step(0.01).expect("stable");
    // Out of the ball's reach, at the far end of the top.
    let positions = world.positions();
    let far = (0..positions.len()).max_by(|&a, &b| {
        let sum = |i: usize| positions[i].iter().sum::<f64>();
        sum(a).total_cmp(&sum(b))
    });
    let far = far.expect("there are particles");
    assert_eq!(world.grasp_particles(1, &[far as u32]), Ok(1));
    world.tools[1].linear = Vector3::new(0.0, 0.0, 0.1);
    world.step(0.05).expect("stable");
    let rise = world.positions()[far][2] - positions[far][2];
    assert!((rise - 5e-3).abs() < 1e-5, "{rise}");
}

#[test]
fn a_reach_is_positive() {
    let refused = MlsMpm::new(config(-1.0, 1), &[slab()]).unwrap_err();
    assert!(refused.to_string().contains("reach"), "{refused}");
}

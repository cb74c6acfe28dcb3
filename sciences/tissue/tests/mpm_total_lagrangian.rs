//! The total Lagrangian formulation: a body recovers from any deformation. Its force under a ball and its stress
//! between plates are in the tests of physics; the comparison with an oracle is in the contract of particles.

#[expect(clippy::pedantic, dead_code, reason = "shared by several tests")]
mod physics_blocks;

use insonate_tissue::mpm::{Formulation, MlsMpm, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Material, TissueError};
use nalgebra::Vector3;
use physics_blocks::block;

const BOTH: [Formulation; 2] = [Formulation::UpdatedLagrangian, Formulation::TotalLagrangian];
const CELL: f64 = 0.01;

/// A beam of 0.1 m in a clamp, 2 cm high, E of 100 kPa.
fn beam(formulation: Formulation, gravity: f64) -> MlsMpm {
    let size = [0.12, 2.0 * CELL, 0.02];
    let config = MpmConfig {
        origin: [-10.0 * CELL; 3],
        cell_width: CELL,
        cells: size.map(|size| (size / CELL + 20.0).round() as usize),
        gravity: [0.0, 0.0, -gravity],
        formulation,
        n_threads: 1,
        ..MpmConfig::default()
    };
    let material = Material {
        young_modulus: 1e5,
        poisson_ratio: 0.0,
        ..Material::default()
    };
    let mut world = MlsMpm::new(config, &[block(size, CELL, material)]).expect("valid");
    let mut clamp = Tool {
        friction: f64::INFINITY,
        ..Tool::new(Shape::Cuboid {
            half: [0.05, 0.5, 0.5],
        })
    };
    clamp.position.x = 0.02 - 0.05;
    world.tools = vec![clamp];
    world
}

/// Deflection of the beam's end [m] without the oscillation, in three intervals of four periods of 0.31 s.
fn hangs(mut world: MlsMpm) -> [f64; 3] {
    let end = 0.12 - 0.5 * CELL;
    let rest = world.positions();
    [(); 3].map(|()| {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in 0..124 {
            world.step(0.01).expect("stable");
            let now = world.positions();
            let last = rest.iter().zip(&now).filter(|(rest, _)| rest[0] > end);
            let (sunk, n) = last.fold((0.0, 0.0), |(sum, n), (rest, now)| {
                (sum + rest[2] - now[2], n + 1.0)
            });
            // Hann's window.
            let weight = (std::f64::consts::PI * (f64::from(i) + 1.0) / 125.0)
                .sin()
                .powi(2);
            sum += weight * sunk / n;
            total += weight;
        }
        sum / total
    })
}

/// A beam that oscillates by a fifth of its height has the same mean deflection 2.5 s later, within 0.5 %; in the
/// updated Lagrangian formulation it sags by 8 %.
#[test]
fn a_beam_that_swings_widely_does_not_sag() {
    let [updated, total] = BOTH.map(|formulation| {
        let [first, _, third] = hangs(beam(formulation, 0.981));
        eprintln!("{formulation:?}: {first:.6} m, then {third:.6} m");
        third / first - 1.0
    });
    assert!(total.abs() < 0.005, "{total}");
    // The purpose of the formulation: the test must show the sag without it.
    assert!(updated > 0.05, "{updated}");
}

/// A tool that holds nodes would need their current positions.
#[test]
fn holders_that_move_are_refused() {
    let mut world = beam(Formulation::TotalLagrangian, 0.0);
    world.tools[0].linear = Vector3::x() * 0.1;
    let moves = world.step(0.01).unwrap_err();
    assert!(matches!(moves, TissueError::Setting(_)), "{moves}");
    world.tools[0].linear = Vector3::zeros();
    let grasps = world.grasp_particles(0, &[0]).unwrap_err();
    assert!(matches!(grasps, TissueError::Setting(_)), "{grasps}");
    world.step(0.01).expect("as before");
}

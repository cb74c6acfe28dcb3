//! Contract: a large world that is solved in slabs has the same bits on any number of threads, and agrees with a world
//! that is solved as one part.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use insonate_tissue::SoftTissue as _;
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Elasticity, Sweep, Xpbd, XpbdBatch, XpbdBody, XpbdConfig};
use nalgebra::Vector3;
use xpbd_blocks::{lattice, vertices};

/// A bar of 3 456 tetrahedra on the table.
fn bar(elasticity: Elasticity, tear_strain: Option<f64>) -> XpbdBody {
    let mut bar = XpbdBody {
        mesh: lattice([24, 6, 4], [0.36, 0.09, 0.06], [0.0; 3], 0.2),
        elasticity,
        damping_time: 0.01,
        tear_strain,
        ..XpbdBody::default()
    };
    bar.fixed = vertices(&bar, |p| p[2] < 1e-6);
    bar
}

fn ball() -> Tool {
    Tool {
        position: Vector3::new(0.14, 0.04, 0.086),
        linear: Vector3::new(0.1, 0.0, -0.2),
        friction: 0.3,
        ..Tool::new(Shape::Sphere { radius: 0.025 })
    }
}

fn config(sweep: Sweep, n_threads: usize) -> XpbdConfig {
    XpbdConfig {
        sweep,
        n_threads,
        ..XpbdConfig::default()
    }
}

/// Positions, velocities and force after a ball was pressed in.
fn pressed(config: XpbdConfig, body: &XpbdBody) -> (Vec<[f64; 3]>, Vec<[f64; 3]>, Vector3<f64>) {
    let mut world = Xpbd::new(config, std::slice::from_ref(body), &[]).expect("a valid bar");
    world.tools_mut().push(ball());
    for _ in 0..3 {
        world.step(0.02).expect("stable");
    }
    (world.positions(), world.velocities(), world.wrench(0).force)
}

const SPRINGS: Elasticity = Elasticity::Springs {
    distance_compliance: 1e-4,
    volume_compliance: 1e-9,
};

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let averaged = Sweep::AveragedJacobi { relaxation: 1.3 };
    for (sweep, elasticity, tear_strain) in [
        (Sweep::GaussSeidel, Elasticity::NeoHookean, None),
        (Sweep::Jacobi, Elasticity::NeoHookean, None),
        (Sweep::Jacobi, Elasticity::NeoHookean, Some(0.2)),
        (averaged, SPRINGS, None),
    ] {
        let body = bar(elasticity, tear_strain);
        let one = pressed(config(sweep, 1), &body);
        assert_ne!(one.0, body.mesh.positions);
        for n_threads in [2, 3] {
            let found = pressed(config(sweep, n_threads), &body);
            assert_eq!(found, one, "{sweep:?} on {n_threads} threads");
        }
    }
}

/// Agreement up to rounding, because only the order of sums differs: a thousandth of a millimetre, with the ball 11 mm
/// deep.
#[test]
fn slabs_move_as_the_whole_does() {
    let body = bar(Elasticity::NeoHookean, None);
    let (positions, _, force) = pressed(config(Sweep::Jacobi, 2), &body);
    let mut whole = XpbdBatch::new(config(Sweep::Jacobi, 1), &[body], &[], 1).expect("a valid bar");
    whole.for_each(|_, mut world| world.tools_mut().push(ball()));
    for _ in 0..3 {
        let errors = whole.step(0.02).expect("a valid time");
        assert!(errors.iter().all(Option::is_none));
    }
    let world = whole.world(0).expect("the only one");
    for (found, wanted) in positions.iter().zip(world.positions()) {
        let apart = (Vector3::from(*found) - Vector3::from(wanted)).norm();
        assert!(apart < 1e-6, "{found:?} {wanted:?}");
    }
    let wanted = world.wrench(0).force;
    assert!(wanted.norm() > 0.1, "{wanted}");
    assert!(
        (force - wanted).norm() < 1e-3 * wanted.norm(),
        "{force} {wanted}"
    );
}

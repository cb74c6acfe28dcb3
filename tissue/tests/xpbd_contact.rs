//! The force of tetrahedra on a ball and on a flat punch against finite elements of the same layer.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use finite_elements::Layer;
use insonate_tissue::Material;
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};
use nalgebra::Vector3;
use xpbd_blocks::{lattice, vertices};

const SOFT: Material = Material {
    young_modulus: 28e3,
    poisson_ratio: 0.4,
    density: 1000.0,
    viscosity: 0.0,
    tearing: None,
};

/// A round layer on a table, deep and wide against what presses it.
const LAYER: Layer = Layer {
    radius: 0.08,
    depth: 0.06,
    young_modulus: SOFT.young_modulus,
    poisson_ratio: SOFT.poisson_ratio,
};

/// Distance from the middle over that in an even lattice: cells grow outwards, the first ones are this share of the mean.
const FINEST: f64 = 0.4;

/// The layer, its lattice finer below the middle of its surface; cells there are about `cell` wide [m].
fn layer(cell: f64) -> XpbdBody {
    let mean = cell / FINEST;
    let n_across = 2 * (LAYER.radius / mean).round() as usize;
    let n_down = (LAYER.depth / mean).round() as usize;
    let mut mesh = lattice(
        [n_across, n_across, n_down],
        [2.0, 2.0, 1.0],
        [-1.0, -1.0, 0.0],
        0.0,
    );
    let stretch = |x: f64| FINEST * x + (1.0 - FINEST) * x * x * x;
    for position in &mut mesh.positions {
        let [x, y, z] = *position;
        let flat = [x, y].map(stretch);
        // From a square to a disc, circles where squares were.
        let square = x.abs().max(y.abs());
        let round = if square > 0.0 {
            square / x.hypot(y)
        } else {
            1.0
        };
        let outer = square * square;
        let scale = LAYER.radius * (1.0 + outer * (round - 1.0));
        *position = [
            flat[0] * scale,
            flat[1] * scale,
            LAYER.depth * (1.0 - stretch(1.0 - z)),
        ];
    }
    let mut body = XpbdBody {
        mesh,
        material: SOFT,
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |position| position[2] < 1e-9);
    body
}

/// Error of the force on a tool, whose lowest point is `half` below its origin, at a depth [m].
fn error(shape: &Shape, half: f64, depth: f64, cell: f64, wanted: f64) -> f64 {
    let config = XpbdConfig {
        gravity: [0.0; 3],
        drag: 60.0,
        ..XpbdConfig::default()
    };
    let mut world = Xpbd::new(config, &[layer(cell)], &[]).unwrap();
    let height = LAYER.depth + half;
    world.tools_mut().push(Tool {
        position: Vector3::new(0.0, 0.0, height),
        linear: Vector3::new(0.0, 0.0, -depth / 0.1),
        ..Tool::new(shape.clone())
    });
    world.step(0.1).unwrap();
    world.tools_mut()[0].linear = Vector3::zeros();
    world.step(0.2).unwrap();
    world.step(0.02).unwrap();
    world.wrench(0).force.z / wanted - 1.0
}

fn ball(cell: f64) -> f64 {
    let (radius, depth): (f64, f64) = (0.04, 0.004);
    let wanted = LAYER.force(1.2 * (radius * depth).sqrt(), |r| {
        depth - (radius - (radius * radius - r * r).sqrt())
    });
    error(&Shape::Sphere { radius }, radius, depth, cell, wanted)
}

fn punch(cell: f64) -> f64 {
    let (radius, depth) = (0.02, 0.004);
    let wanted = LAYER.force(radius, |_| depth);
    let shape = Shape::Cylinder {
        radius,
        half_length: 0.03,
    };
    error(&shape, 0.03, depth, cell, wanted)
}

/// What two errors of second order come to without cells, e = a + b h².
fn limit(cells: [f64; 2], errors: [f64; 2]) -> f64 {
    let [coarse, fine] = cells.map(|cell| cell * cell);
    (coarse * errors[1] - fine * errors[0]) / (coarse - fine)
}

/// Errors fall as cells get smaller, and go to nothing.
fn check(name: &str, press: impl Fn(f64) -> f64, most: f64) {
    let cells = [0.005, 0.0035];
    let errors = cells.map(press);
    let limit = limit(cells, errors);
    let order = (errors[0] / errors[1]).ln() / (cells[0] / cells[1]).ln();
    eprintln!("{name}, cells of 5 and 3.5 mm: {errors:+.4?}, order {order:.2}, limit {limit:+.4}");
    assert!(errors[1] < 0.6 * errors[0], "{errors:?}");
    assert!(limit.abs() < most, "{limit}");
}

#[test]
fn a_ball_is_pressed_as_hertz_says() {
    check("ball", ball, 0.05);
}

#[test]
fn a_flat_punch_is_pressed_as_boussinesq_says() {
    // The edge lies between vertices, somewhere: the error falls, but no order can be told from two.
    let errors = [0.005, 0.0035].map(punch);
    eprintln!("punch, cells of 5 and 3.5 mm: {errors:+.4?}");
    assert!(
        errors[1] < 0.6 * errors[0] && errors[1] < 0.25,
        "{errors:?}"
    );
}

#[test]
#[ignore = "takes minutes: finer cells, for the table of the documentation"]
fn the_force_of_a_press_converges() {
    let cells = [0.01, 0.005, 0.003, 0.0018, 0.0014, 0.001];
    let all = [("ball", cells.map(ball)), ("punch", cells.map(punch))];
    for (name, errors) in &all {
        eprintln!("{name}, cells of {cells:?} m: {errors:+.4?}");
    }
    let [(_, ball), (_, punch)] = all;
    let order = (ball[2] / ball[5]).ln() / (cells[2] / cells[5]).ln();
    eprintln!("order of the ball's error from 3 to 1 mm: {order:.2}");
    assert!(ball[5].abs() < 0.02 && punch[5].abs() < 0.05, "{all:?}");
}

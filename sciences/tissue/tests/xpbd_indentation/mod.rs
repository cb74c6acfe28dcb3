//! A ball and a flat punch on a round layer of tetrahedra, and the force from finite elements.

use insonate_tissue::Material;
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};
use nalgebra::Vector3;

use super::finite_elements::Layer;
use super::xpbd_blocks::{lattice, vertices};

/// A round layer on a table, deep and wide compared with the indenter. It was used to tune the elements.
const LAYER: Layer = Layer {
    radius: 0.08,
    depth: 0.06,
    young_modulus: 28e3,
    poisson_ratio: 0.4,
};

/// A thinner, softer and less compressible layer, which was not used for tuning.
const OTHER: Layer = Layer {
    radius: 0.07,
    depth: 0.045,
    young_modulus: 9e3,
    poisson_ratio: 0.46,
};

/// Cells grow outwards: the width of the first cells as a share of the mean width.
const FINEST: f64 = 0.4;

/// A layer whose lattice is finer below the centre of its surface; cells there are about `cell` wide [m].
fn body(layer: &Layer, cell: f64) -> XpbdBody {
    let mean = cell / FINEST;
    let n_across = 2 * (layer.radius / mean).round() as usize;
    let n_down = (layer.depth / mean).round() as usize;
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
        // Maps a square to a disc: squares become circles.
        let square = x.abs().max(y.abs());
        let round = if square > 0.0 {
            square / x.hypot(y)
        } else {
            1.0
        };
        let outer = square * square;
        let scale = layer.radius * (1.0 + outer * (round - 1.0));
        *position = [
            flat[0] * scale,
            flat[1] * scale,
            layer.depth * (1.0 - stretch(1.0 - z)),
        ];
    }
    let mut body = XpbdBody {
        mesh,
        material: Material {
            young_modulus: layer.young_modulus,
            poisson_ratio: layer.poisson_ratio,
            density: 1000.0,
            viscosity: 0.0,
            tearing: None,
        },
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |position| position[2] < 1e-9);
    body
}

/// Relative error of the force on a tool, whose lowest point is `half` below its origin, at a depth [m].
fn error(layer: &Layer, shape: &Shape, half: f64, depth: f64, cell: f64, wanted: f64) -> f64 {
    let config = XpbdConfig {
        gravity: [0.0; 3],
        drag: 60.0,
        ..XpbdConfig::default()
    };
    let mut world = Xpbd::new(config, &[body(layer, cell)], &[]).unwrap();
    let height = layer.depth + half;
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

fn ball_on(layer: &Layer, radius: f64, depth: f64, cell: f64) -> f64 {
    let wanted = layer.force(1.2 * (radius * depth).sqrt(), |r| {
        depth - (radius - (radius * radius - r * r).sqrt())
    });
    let shape = Shape::Sphere { radius };
    error(layer, &shape, radius, depth, cell, wanted)
}

fn punch_on(layer: &Layer, radius: f64, depth: f64, cell: f64) -> f64 {
    let wanted = layer.force(radius, |_| depth);
    let shape = Shape::Cylinder {
        radius,
        half_length: 0.03,
    };
    error(layer, &shape, 0.03, depth, cell, wanted)
}

/// Error of the force on a ball of 40 mm radius, 4 mm deep, with cells of a width below it [m].
pub(crate) fn ball(cell: f64) -> f64 {
    ball_on(&LAYER, 0.04, 0.004, cell)
}

/// Error of the force on a flat punch of 20 mm radius, 4 mm deep, with cells of a width below it [m].
pub(crate) fn punch(cell: f64) -> f64 {
    punch_on(&LAYER, 0.02, 0.004, cell)
}

/// Error of the force on a ball of 55 mm radius, 2.5 mm deep in the other layer.
pub(crate) fn other_ball(cell: f64) -> f64 {
    ball_on(&OTHER, 0.055, 0.0025, cell)
}

/// Error of the force on a flat punch of 16 mm radius, 2 mm deep in the other layer.
pub(crate) fn other_punch(cell: f64) -> f64 {
    punch_on(&OTHER, 0.016, 0.002, cell)
}

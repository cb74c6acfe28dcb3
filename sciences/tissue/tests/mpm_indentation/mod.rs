//! Particles on a table pressed by a tool, and the force from finite elements.

use insonate_tissue::Material;
use insonate_tissue::mpm::{Formulation, MlsMpm};
use insonate_tissue::tool::{Shape, Tool};
use nalgebra::Vector3;

use crate::finite_elements::Layer;
use crate::physics_blocks::{damped, force, part_of};

pub(crate) const SOFT: Material = Material {
    young_modulus: 28e3,
    poisson_ratio: 0.4,
    density: 1000.0,
    viscosity: 0.0,
    tearing: None,
};

/// Moves a tool along z to a height [m] in a time [s] and waits for a time.
pub(crate) fn bring(world: &mut MlsMpm, tool: usize, height: f64, time: f64, wait: f64) {
    world.tools[tool].linear = Vector3::z() * ((height - world.tools[tool].position.z) / time);
    world.step(time).expect("stable");
    world.tools[tool].linear = Vector3::zeros();
    world.step(wait).expect("stable");
}

/// The part of a block that `is_in` selects, on a table, and a tool above its centre.
pub(crate) fn on_table(
    size: [f64; 3],
    cell: f64,
    material: Material,
    formulation: Formulation,
    shape: Shape,
    half: f64,
    is_in: impl Fn([f64; 3]) -> bool,
) -> MlsMpm {
    let table = Tool {
        position: Vector3::new(0.0, 0.0, 1e-4),
        friction: f64::INFINITY,
        ..Tool::new(Shape::HalfSpace)
    };
    let tool = Tool {
        position: Vector3::new(0.5 * size[0], 0.5 * size[1], size[2] + half),
        ..Tool::new(shape)
    };
    part_of(
        size,
        cell,
        material,
        formulation,
        [0.0; 3],
        vec![table, tool],
        is_in,
    )
}

/// A round layer on a table, deep and wide compared with the indenter.
pub(crate) const LAYER: Layer = Layer {
    radius: 0.08,
    depth: 0.06,
    young_modulus: SOFT.young_modulus,
    poisson_ratio: SOFT.poisson_ratio,
};

/// Force [N] of the layer on a tool, whose lowest point is `half` below its origin, at a depth [m].
pub(crate) fn press(
    formulation: Formulation,
    shape: Shape,
    half: f64,
    cell: f64,
    depth: f64,
) -> f64 {
    let size = [2.0 * LAYER.radius, 2.0 * LAYER.radius, LAYER.depth];
    let mut world = on_table(
        size,
        cell,
        damped(SOFT, cell),
        formulation,
        shape,
        half,
        |[x, y, _]| (x - LAYER.radius).hypot(y - LAYER.radius) < LAYER.radius,
    );
    bring(&mut world, 1, size[2] + half - depth, 0.1, 0.1);
    force(&mut world, 1, 0.03).z
}

/// Errors of the force for some cell widths [m], and the order of convergence: the slope of a regression of their
/// logarithms.
fn errors(
    formulation: Formulation,
    shape: &Shape,
    half: f64,
    depth: f64,
    wanted: f64,
    cells: &[f64],
) -> (Vec<f64>, f64) {
    let errors: Vec<f64> = cells
        .iter()
        .map(|&cell| press(formulation, shape.clone(), half, cell, depth) / wanted - 1.0)
        .collect();
    let x: Vec<f64> = cells.iter().map(|cell| cell.ln()).collect();
    let y: Vec<f64> = errors.iter().map(|error| error.abs().ln()).collect();
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (x_mean, y_mean) = (mean(&x), mean(&y));
    let slope = |with: &[f64], with_mean: f64| -> f64 {
        let pairs = x.iter().zip(with);
        pairs.map(|(x, y)| (x - x_mean) * (y - with_mean)).sum()
    };
    (errors, slope(&y, y_mean) / slope(&x, x_mean))
}

pub(crate) fn ball(formulation: Formulation, cells: &[f64]) -> (Vec<f64>, f64) {
    let (radius, depth): (f64, f64) = (0.04, 0.004);
    let wanted = LAYER.force(1.2 * (radius * depth).sqrt(), |r| {
        depth - (radius - (radius * radius - r * r).sqrt())
    });
    errors(
        formulation,
        &Shape::Sphere { radius },
        radius,
        depth,
        wanted,
        cells,
    )
}

pub(crate) fn punch(formulation: Formulation, cells: &[f64]) -> (Vec<f64>, f64) {
    let (radius, depth) = (0.02, 0.004);
    let wanted = LAYER.force(radius, |_| depth);
    let shape = Shape::Cylinder {
        radius,
        half_length: 0.03,
    };
    errors(formulation, &shape, 0.03, depth, wanted, cells)
}

//! Shapes as smooth fields: negative inside, close to the signed distance near the surface.
//!
//! A level set cannot intersect itself, so a surface made this way always encloses a solid.

use nalgebra::Vector3;

use crate::TissueError;
use crate::surface::{ScalarGrid, marching_cubes};
use insonate_meshes::{MeshFault, TriangleMesh};

/// An ellipsoid; near its surface the field is the distance to first order.
pub(super) fn ellipsoid(at: &Vector3<f64>, centre: [f64; 3], half: [f64; 3]) -> f64 {
    let half = Vector3::from(half);
    let from = at - Vector3::from(centre);
    let scaled = from.component_div(&half);
    let slope = scaled.component_div(&half).norm();
    scaled.norm() * (scaled.norm() - 1.0) / slope.max(1e-9)
}

/// A capsule around a line between two points. The radius is interpolated between the two ends.
pub(super) fn capsule(at: &Vector3<f64>, ends: [[f64; 3]; 2], radii: [f64; 2]) -> f64 {
    let [from, to] = ends.map(Vector3::from);
    let along = to - from;
    let part = ((at - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (at - from - along * part).norm() - (radii[0] + (radii[1] - radii[0]) * part)
}

/// The union of two shapes, with a fillet between them where both are nearer than a width.
pub(super) fn union(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (width - (a - b).abs()).max(0.0);
    a.min(b) - overlap * overlap / (4.0 * width)
}

/// The intersection of two shapes. Edges are rounded where both are nearer than a width.
pub(super) fn intersection(a: f64, b: f64, width: f64) -> f64 {
    -union(-a, -b, width)
}

/// The first shape minus the second. Edges are rounded where both are nearer than a width.
pub(super) fn difference(a: f64, b: f64, width: f64) -> f64 {
    intersection(a, -b, width)
}

/// The surface of a field within bounds [mm], with triangles of a given size, scaled to given bounds [m].
pub(super) fn surface_of(
    field: impl Fn(&Vector3<f64>) -> f64,
    [low, high]: [[f64; 3]; 2],
    spacing_mm: f64,
    wanted: [[f64; 3]; 2],
) -> Result<TriangleMesh, TissueError> {
    let n_nodes = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / spacing_mm) as usize + 2);
    let grid = ScalarGrid::sample(|at| -field(&at.into()), low, spacing_mm, n_nodes)?;
    let mut mesh = marching_cubes(&grid, 0.0)?.mesh;
    if mesh.triangles.is_empty() {
        return Err(MeshFault::Empty.into());
    }
    let [low, high] = mesh.bounds();
    for position in &mut mesh.positions {
        *position = [0, 1, 2].map(|axis| {
            let part = (position[axis] - low[axis]) / (high[axis] - low[axis]);
            wanted[0][axis] + part * (wanted[1][axis] - wanted[0][axis])
        });
    }
    Ok(mesh)
}

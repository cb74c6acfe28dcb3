//! A liver-like organ: two lobes, a wedge whose lower side is hollow and whose lower edge is sharp.

use nalgebra::Vector3;

use super::field::{capsule, difference, ellipsoid, surface_of, union};
use crate::TissueError;
use insonate_meshes::TriangleMesh;

pub(in crate::body) fn liver() -> Result<TriangleMesh, TissueError> {
    let bounds = [[-98.0, -62.0, -70.0], [100.0, 62.0, 70.0]];
    let wanted = [[-0.09, -0.055, -0.06], [0.09, 0.055, 0.06]];
    surface_of(field, bounds, 2.5, wanted)
}

/// Centre and radius of the ball that hollows the lower side, where stomach, duodenum and kidney lie [mm].
const HOLLOW: ([f64; 3], f64) = ([49.787, 133.074, -157.502], 210.0);

/// A point at a height above the lower side [mm].
fn below(x: f64, y: f64, above: f64) -> [f64; 3] {
    let (centre, radius) = HOLLOW;
    let flat = (x - centre[0]).powi(2) + (y - centre[1]).powi(2);
    [x, y, centre[2] + (radius * radius - flat).sqrt() + above]
}

/// Lengths in mm: x to the left lobe, y back, z up.
fn field(at: &Vector3<f64>) -> f64 {
    let right = ellipsoid(at, [-32.0, 0.0, -2.0], [60.0, 56.0, 62.0]);
    let left = ellipsoid(at, [36.0, -6.0, 24.0], [58.0, 38.0, 28.0]);
    let lobes = union(right, left, 44.0);
    let (centre, radius) = HOLLOW;
    let organs = (at - Vector3::from(centre)).norm() - radius;
    let mut shape = difference(lobes, organs, 12.0);
    // Fissure and notch of the round ligament, bed of the gall bladder, porta hepatis, groove of the vena cava.
    for (ends, radii, width) in [
        (
            [below(19.0, -48.0, 7.0), below(19.0, 8.0, -1.0)],
            [11.0, 4.0],
            6.0,
        ),
        (
            [below(-19.0, -46.0, -5.0), below(-8.0, -2.0, -4.0)],
            [11.0, 8.0],
            6.0,
        ),
        (
            [below(-8.0, 2.0, -1.0), below(19.0, 8.0, -1.0)],
            [5.0, 5.0],
            6.0,
        ),
        (
            [[-2.0, 58.0, -60.0], [-2.0, 50.0, 70.0]],
            [13.0, 13.0],
            10.0,
        ),
    ] {
        shape = difference(shape, capsule(at, ends, radii), width);
    }
    // The falciform ligament divides the lobes in front.
    shape + 1.2 * (-((at.x - 19.0) / 6.0).powi(2)).exp()
}

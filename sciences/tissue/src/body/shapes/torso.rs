//! A human-like trunk in supine position.

use nalgebra::Vector3;

use super::field::{capsule, difference, ellipsoid, intersection, surface_of, union};
use crate::TissueError;
use insonate_meshes::TriangleMesh;

pub(in crate::body) fn torso() -> Result<TriangleMesh, TissueError> {
    let bounds = [[-210.0, -165.0, -10.0], [210.0, 165.0, 205.0]];
    let wanted = [[-0.20, -0.15, 0.0], [0.20, 0.15, 0.20]];
    surface_of(field, bounds, 5.0, wanted)
}

/// A bell curve: 1 at `place`, e⁻¹ at a distance of `width` from it.
fn bell(x: f64, place: f64, width: f64) -> f64 {
    (-((x - place) / width).powi(2)).exp()
}

/// Field of the trunk. Lengths in mm: x from the neck to the hips, y across, z up.
fn field(at: &Vector3<f64>) -> f64 {
    // Cross-sections are superellipses, widest at chest and hips.
    let half_width = 118.0 + 28.0 * bell(at.x, -95.0, 75.0) + 28.0 * bell(at.x, 165.0, 75.0);
    let half_height = 92.0 + 20.0 * bell(at.x, -85.0, 75.0) + 5.0 * bell(at.x, 140.0, 70.0);
    let power = 2.3;
    let across = (at.y / half_width).abs().powf(power);
    let up = ((at.z - 76.0) / half_height).abs().powf(power);
    let tube = ((across + up).powf(1.0 / power) - 1.0) * 80.0;
    let mut shape = intersection(tube, at.x - 196.0, 26.0);
    // Left and right are symmetric: a smooth |y|.
    let side = Vector3::new(at.x, at.y.hypot(8.0), at.z);
    // Shoulders slope down from the neck; arms end in stumps.
    let slope = 0.34 * (side.y - 40.0) - 0.94 * (at.x + 168.0);
    shape = intersection(shape, slope, 34.0);
    let neck = capsule(at, [[-230.0, 0.0, 90.0], [-150.0, 0.0, 86.0]], [44.0, 44.0]);
    shape = union(shape, intersection(neck, -at.x - 201.0, 8.0), 36.0);
    let arm_ends = [[-128.0, 102.0, 86.0], [-88.0, 115.0, 84.0]];
    shape = union(shape, capsule(&side, arm_ends, [38.0, 26.0]), 34.0);
    // Pectoral muscles, and the gap between the legs.
    let pectoral = ellipsoid(&side, [-92.0, 56.0, 164.0], [46.0, 58.0, 28.0]);
    shape = union(shape, pectoral, 22.0);
    let groin_ends = [[232.0, 0.0, 190.0], [205.0, 0.0, 40.0]];
    shape = difference(shape, capsule(at, groin_ends, [22.0, 22.0]), 26.0);
    // Front: the furrow between the rectus muscles, the navel, and the costal arch.
    let front = 1.0 / (1.0 + (-(at.z - 120.0) / 12.0).exp());
    let furrow = 2.2 * bell(at.y, 0.0, 8.0) * (-((at.x - 10.0) / 90.0).powi(4)).exp();
    let navel = 8.0 * bell(at.y, 0.0, 8.0) * bell(at.x, 85.0, 8.0);
    let arch = -40.0 + 0.010 * side.y * side.y;
    let ribs = 3.0 / (1.0 + ((at.x - arch) / 6.0).exp()) * bell(at.x, -20.0, 60.0);
    shape += front * (furrow + navel - ribs);
    let hip = ellipsoid(&side, [128.0, 102.0, 122.0], [36.0, 22.0, 24.0]);
    shape = union(shape, hip, 24.0);
    // The plane of the table.
    intersection(shape, 6.0 - at.z, 8.0)
}

//! Points of the skin, with the normal averaged over the probe's face.

use insonate_meshes::HeightIndex;
use nalgebra::Vector3;

/// Half sizes of the face over which normals are averaged [m].
pub(super) const FACE: [f64; 2] = [0.025, 0.008];

/// A point of the skin at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinPoint {
    /// Position in world [m].
    pub position: Vector3<f64>,
    /// Outward unit normal in world, averaged over the probe's face.
    pub normal: Vector3<f64>,
}

impl SkinPoint {
    /// The skin above `(x, y)` [m] of the torso's frame, whose origin is `origin` in world [m]; `None` outside the torso.
    pub fn above(surface: &HeightIndex, origin: [f64; 3], x: f64, y: f64) -> Option<Self> {
        let point = surface.highest_at(x, y)?;
        let normal = face_normal(|i, j| {
            let corner = surface.highest_at(x + i as f64 * FACE[0], y + j as f64 * FACE[1])?;
            Some(corner.normal.into())
        });
        Some(Self {
            position: Vector3::from(point.position) + Vector3::from(origin),
            normal,
        })
    }
}

/// The mean of the normals at the centre, the corners and the middles of the sides of the face, as far as there is skin.
///
/// The arguments of `normal_at` are in units of half the face's sides, -1 to 1.
pub(super) fn face_normal(
    normal_at: impl Fn(isize, isize) -> Option<Vector3<f64>>,
) -> Vector3<f64> {
    let steps = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j)));
    let normals = steps.filter_map(|(i, j)| normal_at(i, j));
    normals.sum::<Vector3<f64>>().normalize()
}

//! Height of a surface, seen from +z.

use nalgebra::Vector3;

use crate::TriangleMesh;

/// A point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Position in the mesh's frame [m].
    pub position: [f64; 3],
    /// Outward unit normal of its triangle in the mesh's frame.
    pub normal: [f64; 3],
}

impl TriangleMesh {
    /// The highest point of an upward-facing triangle above or below `(x, y)` [m]; `None` if no such triangle is there.
    pub fn highest_at(&self, x: f64, y: f64) -> Option<SurfacePoint> {
        self.highest_of(0..self.triangles.len(), x, y)
    }

    /// The highest point at `(x, y)` among the given triangles.
    pub(crate) fn highest_of(
        &self,
        triangles: impl Iterator<Item = usize>,
        x: f64,
        y: f64,
    ) -> Option<SurfacePoint> {
        let hits = triangles.filter_map(|triangle| self.hit(triangle, x, y));
        hits.max_by(|a, b| a.position[2].total_cmp(&b.position[2]))
    }

    /// Intersection of the vertical line through `(x, y)` with a triangle; `None` if the triangle does not face upwards or is not there.
    fn hit(&self, triangle: usize, x: f64, y: f64) -> Option<SurfacePoint> {
        let [a, b, c] = self.corners(triangle);
        let normal = (b - a).cross(&(c - a));
        if normal.z <= 0.0 {
            return None;
        }
        let area =
            |p: &Vector3<f64>, q: &Vector3<f64>| (p.x - x) * (q.y - y) - (p.y - y) * (q.x - x);
        let weights =
            [area(&b, &c), area(&c, &a), area(&a, &b)].map(|twice_area| twice_area / normal.z);
        if weights.iter().any(|&weight| weight < -1e-12) {
            return None;
        }
        let position = a * weights[0] + b * weights[1] + c * weights[2];
        Some(SurfacePoint {
            position: [x, y, position.z],
            normal: normal.normalize().into(),
        })
    }
}

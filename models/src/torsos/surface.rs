//! The skin of a torso at rest: where a probe can touch it.

/// A triangle mesh in the torso's frame, triangles counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices [m], shape `[n_vertices, 3]`.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices, shape `[n_triangles, 3]`.
    pub triangles: Vec<[usize; 3]>,
}

/// A point of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Position in the torso's frame [m].
    pub position: [f64; 3],
    /// Outward unit normal in the torso's frame.
    pub normal: [f64; 3],
}

impl Surface {
    /// The highest point of the skin above `(x, y)`, seen from +z; `None` beside the torso.
    pub fn above(&self, x: f64, y: f64) -> Option<SurfacePoint> {
        let hits = self
            .triangles
            .iter()
            .filter_map(|triangle| self.hit(triangle, x, y));
        hits.max_by(|a, b| a.position[2].total_cmp(&b.position[2]))
    }

    /// The smallest and largest coordinates [m].
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let start = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        self.vertices.iter().fold(start, |(low, high), vertex| {
            (
                std::array::from_fn(|axis| low[axis].min(vertex[axis])),
                std::array::from_fn(|axis| high[axis].max(vertex[axis])),
            )
        })
    }

    /// Where a vertical line through `(x, y)` meets an upward-facing triangle.
    fn hit(&self, triangle: &[usize; 3], x: f64, y: f64) -> Option<SurfacePoint> {
        let [a, b, c] = triangle.map(|index| nalgebra::Vector3::from(self.vertices[index]));
        let normal = (b - a).cross(&(c - a));
        if normal.z <= 0.0 {
            return None;
        }
        let area = |p: &nalgebra::Vector3<f64>, q: &nalgebra::Vector3<f64>| {
            (p.x - x) * (q.y - y) - (p.y - y) * (q.x - x)
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_upward_triangle_is_found_with_its_normal() {
        let surface = Surface {
            vertices: vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 1.0],
                [0.0, 0.0, -1.0],
                [1.0, 0.0, -1.0],
                [0.0, 1.0, -1.0],
            ],
            triangles: vec![[0, 1, 2], [3, 4, 5]],
        };
        let point = surface.above(0.25, 0.5).unwrap();
        assert!((point.position[2] - 0.5).abs() < 1e-15);
        let half = 0.5_f64.sqrt();
        assert!((point.normal[1] + half).abs() < 1e-15 && (point.normal[2] - half).abs() < 1e-15);
        assert!(surface.above(0.8, 0.8).is_none());
        assert_eq!(surface.bounds(), ([0.0, 0.0, -1.0], [1.0, 1.0, 1.0]));
    }
}

//! Triangle mesh with its area, volume, bounds and normals.

use nalgebra::{Point3, Vector3};

/// A surface of triangles. The surface of a solid is closed, and its triangles are counterclockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    /// Vertices [m], shape `[n_vertices, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Corners of a triangle [m].
    ///
    /// # Panics
    /// If the triangle or one of its vertices does not exist.
    pub fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.triangles[triangle].map(|vertex| Vector3::from(self.positions[vertex as usize]))
    }

    /// Twice the area times the normal of a triangle [m²].
    pub(crate) fn area_vector(&self, triangle: usize) -> Vector3<f64> {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(&(c - a))
    }

    /// Area of the surface [m²].
    pub fn area(&self) -> f64 {
        let twice: f64 = (0..self.triangles.len())
            .map(|triangle| self.area_vector(triangle).norm())
            .sum();
        twice / 2.0
    }

    /// Minimum and maximum coordinates [m]; `[∞, −∞]` if the mesh has no vertices.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for position in &self.positions {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(position[axis]);
                bounds[1][axis] = bounds[1][axis].max(position[axis]);
            }
        }
        bounds
    }

    /// Enclosed volume [m³]; negative if the triangles face inwards.
    pub fn volume(&self) -> f64 {
        let Some(origin) = self.positions.first().copied().map(Vector3::from) else {
            return 0.0;
        };
        let sixfold: f64 = (0..self.triangles.len())
            .map(|triangle| {
                let [a, b, c] = self.corners(triangle).map(|corner| corner - origin);
                a.dot(&b.cross(&c))
            })
            .sum();
        sixfold / 6.0
    }

    /// Outward unit normal at each vertex, shape `[n_vertices, 3]`: the area-weighted mean of its triangles, or z if that mean is zero.
    pub fn vertex_normals(&self) -> Vec<[f64; 3]> {
        let mut sums = vec![Vector3::<f64>::zeros(); self.positions.len()];
        for (index, triangle) in self.triangles.iter().enumerate() {
            let normal = self.area_vector(index);
            for &vertex in triangle {
                sums[vertex as usize] += normal;
            }
        }
        let unit = |sum: Vector3<f64>| sum.try_normalize(1e-300).unwrap_or_else(Vector3::z);
        sums.into_iter().map(|sum| unit(sum).into()).collect()
    }

    /// Reverses the orientation of all triangles.
    pub fn flip(&mut self) {
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
    }

    /// Maps every vertex. After a mirroring map the triangles face inwards.
    #[must_use]
    pub fn map(mut self, map: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        for position in &mut self.positions {
            *position = map(*position);
        }
        self
    }

    /// Scales the mesh, then rotates and moves it.
    pub fn transform(&mut self, isometry: &nalgebra::Isometry3<f64>, scale: f64) {
        for position in &mut self.positions {
            *position = (isometry * Point3::from(Vector3::from(*position) * scale))
                .coords
                .into();
        }
    }
}

//! A mesh of triangles and its measures.

use nalgebra::{Matrix3, Point3, Vector3};

/// A surface of triangles; that of a solid is closed, with triangles counterclockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    /// Vertices [m], shape `[n_vertices, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Volume integrals of a solid of density 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidMeasures {
    /// Volume [m³].
    pub volume: f64,
    /// Centre of volume [m].
    pub centroid: Vector3<f64>,
    /// ∫ (|r|² 1 − r rᵀ) dV about the centroid [m⁵]; times the density: the inertia tensor.
    pub inertia: Matrix3<f64>,
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

    /// Least and greatest coordinates [m]; infinite, the greater first, without vertices.
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

    /// Volume inside [m³]; negative if the triangles face inwards.
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

    /// Volume, centroid and inertia of the solid inside, from the tetrahedra between its triangles and a point.
    ///
    /// Moments of a tetrahedron with a corner at the origin: ∫ x xᵀ dV = V/20 (Σ vᵢ vᵢᵀ + s sᵀ), s = Σ vᵢ.
    pub fn solid_measures(&self) -> SolidMeasures {
        let origin = self
            .positions
            .first()
            .map_or_else(Vector3::zeros, |&first| Vector3::from(first));
        let mut volume = 0.0;
        let mut first = Vector3::zeros();
        let mut second = Matrix3::zeros();
        for triangle in 0..self.triangles.len() {
            let corners = self.corners(triangle).map(|corner| corner - origin);
            let part = corners[0].dot(&corners[1].cross(&corners[2])) / 6.0;
            let sum = corners[0] + corners[1] + corners[2];
            let squares: Matrix3<f64> = corners.iter().map(|v| v * v.transpose()).sum();
            volume += part;
            first += sum * (part / 4.0);
            second += (squares + sum * sum.transpose()) * (part / 20.0);
        }
        let arm = first / volume;
        let central = second - arm * arm.transpose() * volume;
        SolidMeasures {
            volume,
            centroid: origin + arm,
            inertia: Matrix3::identity() * central.trace() - central,
        }
    }

    /// Outward unit normal at each vertex, the mean of its triangles weighted by area, shape `[n_vertices, 3]`; z where that is zero.
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

    /// Replaces every vertex; a map that mirrors leaves the triangles facing inwards.
    #[must_use]
    pub fn map(mut self, map: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        for position in &mut self.positions {
            *position = map(*position);
        }
        self
    }

    /// The mesh moved by `offset` [m].
    #[must_use]
    pub fn translated(self, offset: [f64; 3]) -> Self {
        self.map(|[x, y, z]| [x + offset[0], y + offset[1], z + offset[2]])
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

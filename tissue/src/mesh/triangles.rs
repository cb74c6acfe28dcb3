//! Surfaces of triangles.

/// A surface; that of a solid is closed, with triangles counterclockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    /// Vertices [m], shape `[n_vertices, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

//! Volumes of tetrahedra.

/// A volume; each tetrahedron (a, b, c, d) has (b − a) · ((c − a) × (d − a)) > 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// Vertices [m], shape `[n_vertices, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

//! Surfaces of triangles and volumes of tetrahedra.

mod tetrahedra;
mod triangles;

pub use tetrahedra::TetMesh;
pub use triangles::TriangleMesh;

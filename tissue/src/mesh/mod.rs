//! Surfaces of triangles and volumes of tetrahedra.

mod check;
mod fault;
mod file;
mod obj;
mod ply;
mod primitives;
mod stl;
mod tetrahedra;
mod triangles;
mod weld;

pub use check::{MAX_COORDINATE, MAX_VERTICES};
pub use fault::MeshFault;
pub use file::MAX_FILE_BYTES;
pub use tetrahedra::TetMesh;
pub use triangles::{SolidMeasures, TriangleMesh};

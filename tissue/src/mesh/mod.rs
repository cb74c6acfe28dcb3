//! Surfaces of triangles and volumes of tetrahedra.

mod box_lattice;
mod check;
mod fault;
mod file;
mod nearest;
mod obj;
mod ply;
mod primitives;
mod stl;
mod stuffing;
mod tetrahedra;
mod triangles;
mod weld;

pub use check::{MAX_COORDINATE, MAX_VERTICES};
pub use fault::MeshFault;
pub use file::MAX_FILE_BYTES;
pub(crate) use file::{read_bytes, write_whole};
pub use nearest::{NearestPoint, SurfacePoint};
pub use tetrahedra::{Boundary, TetMesh, TetQuality};
pub use triangles::{SolidMeasures, TriangleMesh};

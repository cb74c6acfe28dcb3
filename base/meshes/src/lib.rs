//! Triangle meshes: reading and writing of mesh files, models of several surfaces for 3-D viewers, and queries on closed surfaces: closedness, distance, height.
//!
//! Files are not trusted: sizes are limited, counts are compared with the file's length before anything is allocated, indices
//! must be in range and coordinates finite.

mod check;
mod closest_point;
mod crossing;
mod error;
mod file;
mod geodesic;
mod git_lfs;
mod height;
mod height_index;
mod isosurface;
mod local_minima;
mod model;
mod obj;
mod ply;
mod primitives;
mod shells;
mod smooth;
mod space;
mod stl;
mod triangle_mesh;
mod weld;

pub use check::{MAX_COORDINATE, MAX_TRIANGLES, MAX_VERTICES, check_count};
pub use closest_point::{ClosestPoint, SurfaceTree};
pub use error::{MeshError, MeshFault};
pub use file::{MAX_FILE_BYTES, MeshFormat};
pub use geodesic::{Distances, GeodesicGraph};
pub use git_lfs::git_lfs_pointer;
pub use height::SurfacePoint;
pub use height_index::HeightIndex;
pub use model::{Part, PartPicture, Shaded};
pub use shells::{MAX_SHELLS, ShellFault, ShellSolid};
pub use space::MeshSpace;
pub use triangle_mesh::TriangleMesh;

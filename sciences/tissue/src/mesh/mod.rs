//! Tetrahedral meshes.

mod box_lattice;
mod refine;
mod stuffing;
mod tetrahedra;

pub use tetrahedra::{Boundary, TetMesh, TetQuality};

//! XPBD on the GPU: tissue as tetrahedra, in many worlds of equal topology.
//!
//! Distance constraints of edges and volume constraints of tetrahedra, each with its compliance (Macklin, Müller and Chentanez 2016,
//! doi:10.1145/2994258.2994272, Eq. 18), one correction in each substep. Corrections are found from the same positions (Jacobi) and averaged
//! over the constraints of a vertex times a relaxation ω (Macklin et al. 2014, doi:10.1145/2601097.2601152, Eq. 15). That is softer than the
//! material and keeps momentum only where all vertices have as many constraints, but has no order: a world gives the same bits
//! alone and among others.
//!
//! A substep is one dispatch for all worlds. Each vertex computes its own constraints, an edge twice and a tetrahedron four times in all:
//! nothing is added up across threads, and there are no corrections to write and to read again. Worlds lie side by side, so that
//! neighbouring threads read neighbouring numbers and the same topology. Impulses on tools are summed in whole steps.

mod body;
mod config;
mod state;
mod topology;
mod world;

pub use body::GpuXpbdBody;
pub use config::GpuXpbdConfig;
pub use world::GpuXpbd;

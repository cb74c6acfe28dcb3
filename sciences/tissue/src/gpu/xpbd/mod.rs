//! XPBD on the GPU: tissue as tetrahedra, in many worlds of equal topology.
//!
//! Bodies, attachments, settings and equations are the same as on the CPU ([`crate::xpbd`]): neo-Hookean elements,
//! springs with volumes, dashpots, attachments, contact of vertices and faces with tools, grasping, and tearing by strain.
//! With Gauss–Seidel sweeps a colour of constraints is one dispatch, which moves their points. With Jacobi sweeps a kind is
//! one dispatch, which stores corrections, and each point sums its own in the order of the CPU. Tissue that can tear has
//! Jacobi sweeps and contact of vertices alone.
//!
//! Faces are in contact after vertices, colour by colour: on the CPU one after another, so that the order differs.
//!
//! A world whose vertices fit in the shared memory of a workgroup is stepped by one, in one dispatch, if sweeps are Gauss–Seidel's. Other worlds are
//! interleaved, so neighbouring threads read neighbouring numbers and the same topology.
//!
//! Nothing is summed across threads, so a world gives the same bits alone and among others. Impulses on tools are summed as integers.

mod buffers;
mod grasp;
mod launches;
mod program;
mod shared;
mod stages;
mod state;
mod topology;
mod whole_step;
mod world;

pub use grasp::GpuXpbdWorld;
pub use shared::{SharedXpbd, XpbdSeat};
pub use world::GpuXpbd;

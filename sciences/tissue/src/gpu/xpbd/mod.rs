//! XPBD on the GPU: tissue as tetrahedra, in many worlds of equal topology.
//!
//! Bodies, attachments, settings and equations are the same as on the CPU ([`crate::xpbd`]): neo-Hookean elements,
//! springs with volumes, dashpots, attachments, contact of vertices with tools, grasping, and tearing by strain. Sweeps
//! are Jacobi, with split masses or averaged, because a sweep by colours would need one kernel per colour.
//! [`Sweep::GaussSeidel`](crate::xpbd::Sweep::GaussSeidel) is refused. Contact of tools with faces is refused too,
//! because its corrections are sequential on the CPU.
//!
//! A substep is one dispatch per kind of constraint, one for the points, and two more if tissue can tear, each for all
//! worlds. The kernel of a kind solves each constraint once and stores its corrections. Then each point sums its own
//! corrections in the order of the CPU. Nothing is summed across threads, so a world gives the same bits alone and
//! among others. Worlds are interleaved, so neighbouring threads read neighbouring numbers and the same topology.
//! Impulses on tools are summed as integers.

mod buffers;
mod grasp;
mod state;
mod topology;
mod world;

pub use grasp::GpuXpbdWorld;
pub use world::GpuXpbd;

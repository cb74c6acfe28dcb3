//! XPBD on the GPU: tissue as tetrahedra, in many worlds of equal topology.
//!
//! Bodies, attachments and settings are those of the CPU ([`crate::xpbd`]), and so are the equations: neo-Hookean elements, springs with
//! volumes, dashpots, attachments, contact of vertices with tools, what tools hold, and tearing by strain. Corrections are found from the
//! same positions (Jacobi sweeps, with split masses or averaged), as a sweep by colours would be one kernel for each colour;
//! [`Sweep::GaussSeidel`](crate::xpbd::Sweep::GaussSeidel) is refused, and so is contact of tools with faces, whose corrections have an
//! order on the CPU.
//!
//! A substep is one dispatch for each kind of constraint, one for the points, and two more where tissue can tear, each for all worlds. The
//! kernel of a kind solves each constraint once and writes its corrections down; then each point sums its own in the order of the CPU.
//! Nothing is summed across threads, so a world gives the same bits alone and among others. Worlds lie side by side, so that neighbouring
//! threads read neighbouring numbers and the same topology. Impulses on tools are summed in whole steps.

mod buffers;
mod grasp;
mod state;
mod topology;
mod world;

pub use grasp::GpuXpbdWorld;
pub use world::GpuXpbd;

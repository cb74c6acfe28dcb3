//! XPBD on the GPU: tissue as tetrahedra, in many worlds of equal topology.
//!
//! Bodies, attachments and settings are those of the CPU ([`crate::xpbd`]), and so are the equations: neo-Hookean elements, springs with
//! volumes, dashpots, attachments, contact of vertices with tools, what tools hold, and tearing by strain. Corrections are found from the
//! same positions (Jacobi sweeps, with split masses or averaged), as a sweep by colours would be one kernel for each colour;
//! [`Sweep::GaussSeidel`](crate::xpbd::Sweep::GaussSeidel) is refused, and so is contact of tools with faces, whose corrections have an
//! order on the CPU.
//!
//! A substep is two dispatches for all worlds, and two more where tissue can tear. The first computes each constraint once and writes its
//! pushes down, the second has each vertex add up its own in the order of the CPU: nothing is added up across threads, so a world gives the
//! same bits alone and among others. Worlds lie side by side, so that neighbouring threads read neighbouring numbers and the same topology.
//! Impulses on tools are summed in whole steps.

mod buffers;
mod holds;
mod layout;
mod state;
mod world;

pub use holds::GpuXpbdWorld;
pub use world::GpuXpbd;

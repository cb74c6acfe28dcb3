//! MLS-MPM on the GPU: the method of [`crate::mpm`] for many worlds at once.
//!
//! The grid is sparse: nodes are kept in blocks of 4 × 4 × 4, only where particles are. Memory and time depend on the
//! number of particles, not on the size of the domains; this serves both one world of a million particles and four
//! thousand worlds of a few hundred. Each world has a table of its blocks and a share of all node blocks.
//!
//! A substep is two dispatches for all worlds together, and a third one if tools push particles. Each world has substeps of its own length and a
//! softness of its own; it stops before the world with the most substeps does.
//! 0. `contact`: up to 128 particles of one block per workgroup. Particles in contact with a tool add their change of
//!    momentum to the grid.
//! 1. `grid_update`: a workgroup of 64 threads per node block computes velocities from momenta, with gravity, tools and
//!    walls, and clears the momenta.
//! 2. `transfer`: a workgroup of 128 threads for up to 128 particles of one block transfers from the grid to the
//!    particles and back for the next substep, in shared memory. The workgroup adds its sum for a node to the grid in
//!    one addition.
//!
//! Particles are sorted by blocks when their speed implies that one may soon be a cell away from its block. If a
//! particle gets that far earlier, its world stops after that substep, is sorted, and resumes. Results do not depend on
//! when particles are sorted. With weights at rest (total Lagrangian) particles stay in their blocks and are sorted once after a reset.
//!
//! Momenta and masses at nodes, and impulses on tools, are fixed-point. A node may hold eight times the mass of the
//! fullest cell at the start, in $2^{30}$ units (32 bits), and that mass times eight cells per substep as momentum, in
//! $2^{46}$ units (two words of 16 and 32 bits, so that sums need no carry). This is finer than `f32` for all but the
//! lightest nodes, whose velocities have little effect. A particle that would contribute more (`TooFast`) and a node
//! that holds more (`TooDense`) stop their world, so nothing overflows silently. The mass of particles that are a
//! thousand times lighter than others in their world is a thousand times less exact.
//!
//! Elastic laws are WGSL sources; a world's kernels contain one of them. Damage is computed only if a material can
//! tear.
//!
//! Tools move within a step on the GPU. To add a shape, give it a number in `gpu/tools.rs` and a distance in
//! `gpu/tool.wgsl`.

mod buffers;
mod kernels;
mod layout;
mod shared;
mod softness;
mod stages;
mod state;
mod world;

pub use shared::{MpmSeat, MpmWorld, SharedMpm};
pub use world::GpuMpm;

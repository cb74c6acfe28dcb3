//! MLS-MPM on the GPU: the method of [`crate::mpm`] for many worlds at once.
//!
//! The grid is kept in blocks of 4 × 4 × 4 nodes, and only where particles are: a world of a million particles and four thousand worlds of
//! a few hundred particles take memory and time by what is in them, not by the size of their domains. Each world has a table of its
//! blocks, and a share of all blocks of nodes.
//!
//! A substep is two dispatches for all worlds together, and one more where tools push particles:
//! 0. `contact`: of up to 128 particles of one block those in contact with a tool add the change of their momentum to the grid.
//! 1. `grid_update`: a group of 64 threads for each block of nodes makes velocities of momenta, with gravity, tools and walls, and clears the momenta.
//! 2. `transfer`: a group of 128 threads for up to 128 particles of one block transfers from the grid and back to it for the next
//!    substep, in shared memory; the sum of the group for a node goes to the grid in one addition.
//!
//! Particles are sorted by blocks now and then, when their speed says that one might soon be a cell away from its block. If one is
//! all the same, its world waits after that substep, is sorted, and resumes: no bit depends on when particles are sorted.
//!
//! Momenta and masses at nodes, and impulses on tools, are fixed-point. A node may hold eight times the mass of the fullest cell
//! at the start, in $2^{30}$ units (32 bits), and that times eight cells per substep of momentum, in $2^{46}$ units (two words of 16 and
//! 32 bits, so that no sum carries). That is finer than `f32` for all but the lightest nodes, whose velocity counts for as little. A particle
//! that would contribute more (`TooFast`) and a node that holds more (`TooDense`) stop their world, so that nothing overflows silently. Particles
//! a thousandfold lighter than others in their world are a thousandfold less exact in mass.
//!
//! Elastic laws are texts in WGSL, of which a world's kernels have one; without a material that tears nothing is computed for it.
//!
//! Tools move along within a step on the GPU. To add a shape, give it a number in `gpu/tools.rs` and a distance in `gpu/tool.wgsl`.

mod buffers;
mod kernels;
mod layout;
mod stages;
mod state;
mod world;

pub use world::GpuMpm;

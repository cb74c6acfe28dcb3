//! MLS-MPM on the GPU: the method of [`crate::mpm`] for many worlds at once.
//!
//! The grid is kept in blocks of 4 × 4 × 4 nodes, and only where particles are: a world of a million particles and four thousand worlds of
//! a few hundred particles take memory and time by what is in them, not by the size of their domains. Each world has a table of its
//! blocks, and a share of all blocks of nodes.
//!
//! A substep is two dispatches for all worlds together:
//! 1. `grid_update`: a group of 64 threads for each block of nodes makes velocities of momenta, with gravity, tools and walls, and clears the momenta.
//! 2. `transfer`: a group of 128 threads for up to 128 particles of one block moves them by the grid and gives their momentum to it for the next
//!    substep, in shared memory; what the group gives to a node goes to the grid in one addition.
//!
//! Particles are sorted by blocks now and then, when their speed says that one might soon be a cell away from its block. If one is
//! all the same, its world waits after that substep, is sorted, and goes on: no bit depends on when particles are sorted.
//!
//! Momenta and masses at nodes, and impulses on tools, are whole numbers of steps. A node may hold eight times the mass of the fullest cell
//! at the start, in $2^{30}$ steps (32 bits), and that times eight cells per substep of momentum, in $2^{46}$ steps (two words of 16 and
//! 32 bits, so that no sum carries). That is finer than `f32` for all but the lightest nodes, whose velocity counts for as little. A particle
//! that would give more (`TooFast`) and a node that holds more (`TooDense`) stop their world; nothing wraps around in silence. Particles
//! a thousandfold lighter than others in their world are a thousandfold less exact in mass.
//!
//! Tools move along within a step on the GPU. To add a shape, give it a number in `gpu/tools.rs` and a distance in `gpu/tool.wgsl`; one given as a field
//! of distances needs a buffer of fields next to the tools, for which the tool has its index.

mod buffers;
mod layout;
mod stages;
mod state;
mod world;

pub use world::GpuMpm;

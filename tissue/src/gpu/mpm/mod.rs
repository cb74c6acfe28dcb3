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
//! Momenta and masses at nodes, and impulses on tools, are whole numbers of steps. A step of mass is about $2^{-30}$ of eight times the mass in
//! the fullest cell at the start; one of momentum is that times two cells per substep. A particle that would give more than the
//! range (`TooFast`), and a node that holds more (`TooDense`), stop their world; nothing wraps around in silence. With eight particles
//! per cell a node's velocity is rounded to about $10^{-7}$ cells per substep. Bodies in one world whose particles differ a thousandfold in mass
//! leave the lighter ones a thousandfold less exact.
//!
//! Tools move along within a step on the GPU. To add a shape, give it a number in `tools.rs` and a distance in `tool.wgsl`; one given as a field
//! of distances needs a buffer of fields next to the tools, for which the tool has its index.

mod buffers;
mod layout;
mod stages;
mod state;
mod tools;
mod world;

pub use tools::MAX_TOOLS;
pub use world::GpuMpm;

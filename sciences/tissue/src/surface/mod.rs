//! Surfaces for rendering: level sets of grids and of particles.

mod cases;
mod grid;
mod marching_cubes;
mod particles;

pub use grid::ScalarGrid;
pub use marching_cubes::{Isosurface, marching_cubes};
pub use particles::{
    ParticleCloud, ParticleSurface, ParticleVolumes, SurfaceLevel, particle_surface,
};

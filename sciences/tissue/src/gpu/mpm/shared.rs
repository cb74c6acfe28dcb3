//! Worlds of MLS-MPM that several owners step together.

use std::sync::Arc;

use super::world::GpuMpm;
use crate::TissueStress;
use crate::gpu::shared::{Seat, Shared, Worlds, own_methods};
use crate::gpu::{Gpu, GpuError};
use crate::mpm::{MpmBody, MpmConfig};

/// Worlds of the same bodies of particles on a GPU, with an owner each.
pub type SharedMpm = Shared<GpuMpm>;
/// One world of [`SharedMpm`].
pub type MpmSeat = Seat<GpuMpm>;

/// Settings and bodies of [`SharedMpm`].
#[derive(Debug, Clone)]
pub struct MpmWorld {
    /// Settings.
    pub config: MpmConfig,
    /// Bodies.
    pub bodies: Vec<MpmBody>,
    /// Young's modulus [Pa] and damping time [s] that a world with the bodies as they are has. Another softness changes those of all bodies by the same
    /// factors.
    pub softness: [f64; 2],
}

impl SharedMpm {
    /// Room for worlds; see [`GpuMpm::of_copies`].
    ///
    /// # Errors
    /// Those of [`GpuMpm::of_copies`].
    pub fn new(gpu: &Gpu, world: MpmWorld) -> Result<Arc<Self>, GpuError> {
        Self::of_body(gpu, world)
    }
}

impl Worlds for GpuMpm {
    type Body = MpmWorld;

    fn new(gpu: &Gpu, body: &MpmWorld, n_worlds: usize) -> Result<Self, GpuError> {
        Self::of_copies(gpu, body.config.clone(), &body.bodies, n_worlds)
    }

    /// Positions are stored in cells, in single precision.
    fn positions_at_rest(body: &MpmWorld) -> Vec<[f64; 3]> {
        let (origin, width) = (body.config.origin, body.config.cell_width);
        let positions = body.bodies.iter().flat_map(|body| &body.positions);
        let stored = positions.map(|position| {
            std::array::from_fn(|axis| {
                let cells = ((position[axis] - origin[axis]) / width) as f32;
                origin[axis] + f64::from(cells) * width
            })
        });
        stored.collect()
    }

    fn softness_of(body: &MpmWorld) -> [f64; 2] {
        body.softness
    }

    fn stress(&self, world: usize) -> Result<Option<TissueStress>, GpuError> {
        self.stress(world).map(Some)
    }

    own_methods!();
}

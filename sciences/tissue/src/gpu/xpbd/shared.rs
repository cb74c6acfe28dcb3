//! Worlds of XPBD that several owners step together.

use std::sync::Arc;

use super::world::GpuXpbd;
use crate::TissueStress;
use crate::gpu::shared::{Seat, Shared, Worlds, own_methods};
use crate::gpu::{Gpu, GpuError};
use crate::xpbd::{XpbdBody, XpbdConfig, stress};

/// Worlds of one body of tetrahedra on a GPU, with an owner each.
pub type SharedXpbd = Shared<GpuXpbd>;
/// One world of [`SharedXpbd`].
pub type XpbdSeat = Seat<GpuXpbd>;

impl SharedXpbd {
    /// Room for worlds of a body; see [`GpuXpbd::new`].
    ///
    /// # Errors
    /// Those of [`GpuXpbd::new`].
    pub fn new(gpu: &Gpu, config: XpbdConfig, body: XpbdBody) -> Result<Arc<Self>, GpuError> {
        Self::of_body(gpu, (config, body))
    }
}

impl Worlds for GpuXpbd {
    type Body = (XpbdConfig, XpbdBody);

    fn new(gpu: &Gpu, (config, body): &Self::Body, n_worlds: usize) -> Result<Self, GpuError> {
        Self::new(
            gpu,
            config.clone(),
            std::slice::from_ref(body),
            &[],
            n_worlds,
        )
    }

    fn positions_at_rest((_, body): &Self::Body) -> Vec<[f64; 3]> {
        body.mesh.positions.clone()
    }

    fn softness_of((_, body): &Self::Body) -> [f64; 2] {
        [body.material.young_modulus, body.damping_time]
    }

    fn stress(&self, world: usize) -> Result<Option<TissueStress>, GpuError> {
        let [factor, _] = self.worlds[world].softness;
        let positions = self.positions(world)?;
        Ok(stress::of(&self.topology, positions, factor, |_| true))
    }

    own_methods!();
}

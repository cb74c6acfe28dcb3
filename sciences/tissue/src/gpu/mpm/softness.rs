//! Softness and substep of each world.

use insonate_settings::check_range;

use super::world::GpuMpm;
use crate::gpu::GpuError;

impl GpuMpm {
    /// Factors by which Young's moduli and damping times of a world's bodies differ from those with which the worlds were made. They stay after a
    /// reset and are not part of a saved state.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for factors out of range: 10⁻⁶ to 10⁶ for the moduli, 0 to 10⁶ for the damping times.
    pub fn set_softness(&mut self, world: usize, factors: [f64; 2]) -> Result<(), GpuError> {
        let [modulus, damping_time] = factors;
        check_range("factor of the modulus", modulus, [1e-6, 1e6], "")?;
        check_range("factor of the damping time", damping_time, [0.0, 1e6], "")?;
        let stable_substep = self.layout.stable_substep(world, factors);
        let world = &mut self.worlds[world];
        (world.softness, world.stable_substep) = (factors, stable_substep);
        Ok(())
    }

    /// Longest substep of a world [s]: the configured one, or the stability limit of its stiffest material.
    ///
    /// Unlike on the CPU, fast tissue does not shorten the substep.
    pub fn substep(&self, world: usize) -> f64 {
        let limit = self.worlds[world].stable_substep;
        self.layout.config.substep.min(limit)
    }
}

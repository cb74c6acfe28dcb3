//! Settings of worlds of tetrahedra.

use crate::TissueError;
use crate::error::check_range;

/// Settings of [`GpuXpbd`](super::GpuXpbd).
#[derive(Debug, Clone, PartialEq)]
pub struct GpuXpbdConfig {
    /// Longest substep [s].
    pub substep: f64,
    /// Relaxation ω of averaged corrections.
    pub relaxation: f64,
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Rate c at which the surroundings take velocity [1/s]: a substep leaves 1 − c Δt of it.
    pub drag: f64,
    /// A world with a faster vertex has diverged [m/s].
    pub max_speed: f64,
}

impl Default for GpuXpbdConfig {
    fn default() -> Self {
        Self {
            substep: 1.0 / 600.0,
            relaxation: 1.6,
            gravity: [0.0, 0.0, -9.81],
            drag: 0.6,
            max_speed: 100.0,
        }
    }
}

impl GpuXpbdConfig {
    /// Fails for settings that cannot be.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        check_range("substep", self.substep, 1e-7, 1.0)?;
        check_range("relaxation", self.relaxation, 1e-3, 2.0)?;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check_range(&format!("gravity.{name}"), self.gravity[axis], -1e4, 1e4)?;
        }
        check_range("drag", self.drag, 0.0, 1.0 / self.substep)?;
        check_range("max_speed", self.max_speed, 1e-3, 1e6)
    }
}

//! A payload on the carriage: mass and centre with their errors.

use nalgebra::Vector3;

use super::robust::NORMAL_QUANTILE;

/// Number of joints and drives with torques that depend on a payload; the wrist does not carry it.
pub(super) const CARRYING: usize = 3;

/// A payload on the carriage of the insertion (link 8), in that link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Payload {
    /// Mass [kg]. It may be negative if its interval includes zero.
    pub mass: f64,
    /// Standard error of the mass [kg]: ±1.96 of them are the 95 % interval, even if only a few periods were recorded.
    pub mass_error: f64,
    /// Mass times centre [kg m].
    pub first_moment: Vector3<f64>,
    /// Standard errors of the first moment [kg m], defined like the standard error of the mass.
    pub first_moment_error: Vector3<f64>,
    /// Increase of the friction of joints 1 to 3 over the reference: Coulomb, viscous and constant, one row per joint [N m and N, per rad/s and m/s].
    pub friction_change: [[f64; 3]; CARRYING],
    /// Residual of joints 1 to 3 over the residual of the reference on its own log (at least 0.5 % of the torques); zero if the reference is exact.
    pub residual_ratio: [f64; CARRYING],
}

impl Payload {
    /// 95 % interval of the mass [kg].
    pub fn mass_interval(&self) -> [f64; 2] {
        [-1.0, 1.0].map(|side| self.mass + side * NORMAL_QUANTILE * self.mass_error)
    }

    /// Centre in the carriage's frame [m]; `None` if the interval of the mass includes zero.
    pub fn centre(&self) -> Option<Vector3<f64>> {
        (self.mass_interval()[0] > 0.0).then(|| self.first_moment / self.mass)
    }
}

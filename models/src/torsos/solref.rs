//! Spring and damper of a soft constraint, in MuJoCo's direct format.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// MuJoCo's direct `solref`: the constraint applies the acceleration
/// $-(k / d^2)\, d\, x - (b / d)\, \dot x$, where $d$ is its impedance (MuJoCo documentation, "Solver parameters").
///
/// The numbers are per unit of effective mass, unlike the [`super::Softness`] under a probe: the resulting stiffness in N/m depends on
/// the masses that the constraint couples and on its impedance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solref {
    /// Stiffness [1/s²].
    pub stiffness: f64,
    /// Damping [1/s].
    pub damping: f64,
}

impl Solref {
    /// Least and greatest stiffness [1/s²]; the greatest is a time constant of 3 ms.
    pub const STIFFNESS: [f64; 2] = [1.0, 100_000.0];
    /// Least and greatest damping [1/s]; the greatest is the limit for damping without overshoot in a time step of 2 ms.
    pub const DAMPING: [f64; 2] = [0.01, 500.0];

    /// The value of the MJCF attribute: negative numbers select the direct format.
    pub fn attribute(self) -> [f64; 2] {
        [-self.stiffness, -self.damping]
    }

    /// Returns an error if the constraint is unstable with time steps of 2 ms. `field` is its name in the message.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`].
    pub fn check(&self, field: &'static str) -> Result<(), ModelError> {
        let ([soft, stiff], [light, heavy]) = (Self::STIFFNESS, Self::DAMPING);
        check_range(field, self.stiffness, [soft, stiff], "1/s²")?;
        Ok(check_range(field, self.damping, [light, heavy], "1/s")?)
    }
}

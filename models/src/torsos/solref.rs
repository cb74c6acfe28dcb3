//! A soft constraint's spring and damper, as MuJoCo takes them directly.

use serde::{Deserialize, Serialize};

use crate::ModelError;

/// MuJoCo's direct `solref`: the constraint pulls back with acceleration
/// $-(k / d^2)\, d\, x - (b / d)\, \dot x$, where $d$ is its impedance (MuJoCo documentation, "Solver parameters").
///
/// Per unit of effective mass, unlike the [`super::Softness`] that a probe feels: what it comes to in N/m depends on the
/// masses that the constraint ties and on its impedance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solref {
    /// Stiffness [1/s²].
    pub stiffness: f64,
    /// Damping [1/s].
    pub damping: f64,
}

impl Solref {
    /// Least and greatest stiffness [1/s²]: the latter is a time constant of 3 ms.
    pub const STIFFNESS: [f64; 2] = [1.0, 100_000.0];
    /// Least and greatest damping [1/s]: the latter is the greatest that a step of 2 ms damps without overshoot.
    pub const DAMPING: [f64; 2] = [0.01, 500.0];

    /// As MJCF spells it: negative numbers are direct.
    pub fn attribute(self) -> [f64; 2] {
        [-self.stiffness, -self.damping]
    }

    /// Fails for a constraint that is unstable at steps of 2 ms; `field` is its name in the message.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`].
    pub fn check(&self, field: &'static str) -> Result<(), ModelError> {
        let ([soft, stiff], [light, heavy]) = (Self::STIFFNESS, Self::DAMPING);
        ModelError::check_range(
            field,
            self.stiffness,
            soft,
            stiff,
            "a stiffness of 1 to 100000 1/s²",
        )?;
        ModelError::check_range(
            field,
            self.damping,
            light,
            heavy,
            "a damping of 0.01 to 500 1/s",
        )
    }
}

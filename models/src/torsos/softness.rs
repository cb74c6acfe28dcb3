//! Softness of a torso.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Stiffness and damping of tissue under the probe, as fitted by a Kelvin–Voigt calibration.
///
/// A torso converts them to its own parameters. The composite writes them into `solref`, as the thesis did
/// (Jakobsen 2021: 1324.17 N/m, 17.59 N·s/m at the centre of the chest).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Softness {
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Damping [N·s/m].
    pub damping: f64,
}

impl Default for Softness {
    fn default() -> Self {
        Self {
            stiffness: 1324.17,
            damping: 17.59,
        }
    }
}

impl Softness {
    /// Lowest damping that torsos allow [N·s/m].
    pub const LEAST_DAMPING: f64 = 0.1;

    /// Returns an error if the softness is outside the range of tissue, or unstable with time steps of 2 ms.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        check_range("stiffness", self.stiffness, [10.0, 50_000.0], "N/m")?;
        Ok(check_range(
            "damping",
            self.damping,
            [Self::LEAST_DAMPING, 500.0],
            "N·s/m",
        )?)
    }
}

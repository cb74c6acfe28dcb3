//! Breathing: a prescribed expansion of the torso.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Breathing of a torso: its surface rises by `amplitude` and falls back, `rate` times per second.
///
/// The displacement is `amplitude / 2 · (1 - cos(2π · rate · t))`, so it starts at rest, breathed out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breathing {
    /// Breaths per second [Hz]; adults at rest have 0.2 to 0.33.
    pub rate: f64,
    /// Rise of the surface between breathed out and breathed in [m].
    pub amplitude: f64,
}

impl Default for Breathing {
    fn default() -> Self {
        Self {
            rate: 0.25,
            amplitude: 0.008,
        }
    }
}

impl Breathing {
    /// Returns an error if the parameters are out of range.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        check_range("breathing rate", self.rate, [0.01, 2.0], "Hz")?;
        Ok(check_range(
            "breathing amplitude",
            self.amplitude,
            [0.0, 0.05],
            "m",
        )?)
    }
}

//! Limits of a gentle contact, and success criteria.

use insonate_settings::check_ranges;
use serde::{Deserialize, Serialize};

use super::touch::{CONTACT_SPEED, FORCE_RATE};
use crate::EnvError;

/// Limits of a gentle episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForceLimits {
    /// Minimum fraction of time in contact, from first contact to the end.
    pub contact_ratio: f64,
    /// Maximum force along the axis [N].
    pub peak_force: f64,
    /// Maximum speed towards the skin at the start of a contact [m/s].
    pub contact_speed: f64,
    /// Maximum increase of the force over 20 ms [N/s].
    pub force_rate: f64,
}

impl Default for ForceLimits {
    fn default() -> Self {
        Self {
            contact_ratio: 0.95,
            peak_force: 15.0,
            contact_speed: CONTACT_SPEED,
            force_rate: FORCE_RATE,
        }
    }
}

impl ForceLimits {
    /// Checks the limits.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        self.check_as("task.limits.", 1e3)
    }

    fn check_as(&self, prefix: &str, most_force: f64) -> Result<(), EnvError> {
        Ok(check_ranges(
            prefix,
            [
                ("contact_ratio", self.contact_ratio, [0.0, 1.0], ""),
                ("peak_force", self.peak_force, [0.0, most_force], "N"),
                ("contact_speed", self.contact_speed, [0.0, 10.0], "m/s"),
                ("force_rate", self.force_rate, [0.0, 1e6], "N/s"),
            ],
        )?)
    }
}

/// Success criteria: limits of the contact, and the accuracy of force and path. All bounds must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuccessCriteria {
    /// See [`ForceLimits::contact_ratio`].
    pub contact_ratio: f64,
    /// Maximum mean absolute error of the force [N].
    pub force_mae: f64,
    /// Maximum root mean square of the distance from the path [m].
    pub path_rmse: f64,
    /// Maximum angle between the probe's axis and the goal's axis in contact [deg].
    pub tilt_deg: f64,
    /// See [`ForceLimits::peak_force`].
    pub peak_force: f64,
    /// See [`ForceLimits::contact_speed`].
    pub contact_speed: f64,
    /// See [`ForceLimits::force_rate`].
    pub force_rate: f64,
}

impl Default for SuccessCriteria {
    fn default() -> Self {
        let limits = ForceLimits::default();
        Self {
            contact_ratio: limits.contact_ratio,
            force_mae: 1.0,
            path_rmse: 0.005,
            tilt_deg: 5.0,
            peak_force: limits.peak_force,
            contact_speed: limits.contact_speed,
            force_rate: limits.force_rate,
        }
    }
}

impl SuccessCriteria {
    /// The limits of the contact.
    pub fn limits(&self) -> ForceLimits {
        ForceLimits {
            contact_ratio: self.contact_ratio,
            peak_force: self.peak_force,
            contact_speed: self.contact_speed,
            force_rate: self.force_rate,
        }
    }

    /// Checks the bounds.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        self.limits().check_as("success.", 1e4)?;
        Ok(check_ranges(
            "success.",
            [
                ("force_mae", self.force_mae, [0.0, 1e3], "N"),
                ("path_rmse", self.path_rmse, [0.0, 1.0], "m"),
                ("tilt_deg", self.tilt_deg, [0.0, 180.0], "°"),
            ],
        )?)
    }
}

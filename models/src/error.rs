//! Errors of this crate.

use crate::mjcf::MjcfError;

/// Why a robot, probe, torso or scene was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The MJCF document is invalid.
    #[error(transparent)]
    Mjcf(#[from] MjcfError),
    /// A name that is not in a registry.
    #[error("there is no {kind} {name:?}; choose one of {known}")]
    Unknown {
        /// What was looked for, such as `robot`.
        kind: &'static str,
        /// The unknown name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A number outside its range.
    #[error("{field} = {value} is out of range: {allowed}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range, with unit.
        allowed: &'static str,
    },
    /// Choices that exclude each other.
    #[error("{0}")]
    Conflict(String),
}

impl ModelError {
    /// Fails unless `value` lies in `[least, most]`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for anything else, NaN included.
    pub fn check_range(
        field: &'static str,
        value: f64,
        least: f64,
        most: f64,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if (least..=most).contains(&value) {
            Ok(())
        } else {
            Err(Self::OutOfRange {
                field,
                value,
                allowed,
            })
        }
    }
}

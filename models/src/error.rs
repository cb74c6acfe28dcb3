//! Errors of this crate.

use crate::mjcf::MjcfError;

/// Reason why a robot, probe, torso or scene is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The MJCF document is invalid.
    #[error(transparent)]
    Mjcf(#[from] MjcfError),
    /// A name is not in the registry.
    #[error("there is no {kind} {name:?}; choose one of {known}")]
    Unknown {
        /// Kind of the object, such as `robot`.
        kind: &'static str,
        /// The unknown name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A number is out of range.
    #[error("{field} is {value}; it must be {allowed}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range, with unit.
        allowed: &'static str,
    },
    /// Settings that exclude each other.
    #[error("{0}")]
    Conflict(String),
}

impl ModelError {
    /// The entry called `name` of a registry of names and values. `kind` says what the entries are, such as `robot`.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] with a list of the known names.
    pub fn find<'a, T>(
        kind: &'static str,
        name: &str,
        all: &'a [(&'static str, T)],
    ) -> Result<&'a T, Self> {
        let found = all.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
            Self::Unknown {
                kind,
                name: name.to_owned(),
                known: known.join(", "),
            }
        })
    }

    /// Returns an error unless `value` lies in `[least, most]`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] if `value` is outside the range or NaN.
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

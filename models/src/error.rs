//! Errors of this crate.

use insonate_settings::{SettingError, UnknownName};

use crate::mjcf::MjcfError;

/// Reason why a robot, probe, torso or scene is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The MJCF document is invalid.
    #[error(transparent)]
    Mjcf(#[from] MjcfError),
    /// A name is not in the registry.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A number is out of range.
    #[error(transparent)]
    OutOfRange(#[from] SettingError),
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
        Ok(insonate_settings::find(kind, name, all, |(known, _)| known).map(|(_, value)| value)?)
    }
}

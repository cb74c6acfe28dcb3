//! Errors of volumes and their files.

use insonate_settings::SettingError;

/// A volume that cannot be read or made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// A setting or an input is not allowed.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A name is not in a registry.
    #[error(transparent)]
    Unknown(#[from] insonate_settings::UnknownName),
    /// A file cannot be read, or its content is wrong.
    #[error("{file}: {problem}")]
    File {
        /// Path, or another name of the file.
        file: String,
        /// What is wrong, with the field or line.
        problem: String,
    },
}

impl VolumeError {
    pub(crate) fn setting(
        field: impl Into<String>,
        value: impl std::fmt::Debug,
        allowed: impl Into<String>,
    ) -> Self {
        SettingError::new(field, value, allowed).into()
    }

    pub(crate) fn file(file: &impl ToString, problem: String) -> Self {
        Self::File {
            file: file.to_string(),
            problem,
        }
    }
}

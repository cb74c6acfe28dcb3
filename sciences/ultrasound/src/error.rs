//! Errors of settings and inputs.

use insonate_settings::SettingError;
use insonate_volumes::VolumeError;

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UltrasoundError {
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
    /// The GPU is missing, insufficient or lost.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] insonate_gpu::DeviceError),
}

impl UltrasoundError {
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

impl From<VolumeError> for UltrasoundError {
    fn from(error: VolumeError) -> Self {
        match error {
            VolumeError::Setting(error) => Self::Setting(error),
            VolumeError::Unknown(error) => Self::Unknown(error),
            VolumeError::File { file, problem } => Self::File { file, problem },
            other => Self::file(&"volume", other.to_string()),
        }
    }
}

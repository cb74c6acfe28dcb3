//! Errors of the GPU solvers.

use insonate_gpu::DeviceError;

use crate::TissueError;

/// An error of the GPU solvers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The GPU is missing, insufficient or lost.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The GPU solver does not support a feature.
    #[error("{what} are not supported on the GPU: use the solver on the CPU")]
    Unsupported {
        /// The feature.
        what: &'static str,
    },
    /// A world, tool or time is invalid.
    #[error(transparent)]
    Tissue(#[from] TissueError),
}

impl From<insonate_settings::SettingError> for GpuError {
    fn from(error: insonate_settings::SettingError) -> Self {
        Self::Tissue(error.into())
    }
}

impl From<GpuError> for TissueError {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Tissue(error) => error,
            GpuError::Device(_) | GpuError::Unsupported { .. } => Self::Gpu(error.to_string()),
        }
    }
}

//! Errors of the solvers on the GPU.

use insonate_gpu::DeviceError;

use crate::TissueError;

/// An error of the solvers on the GPU.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The GPU is not there, does not suffice or is lost.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The solver on the GPU does not support it.
    #[error("{what} are not supported on the GPU: use the solver on the CPU")]
    Unsupported {
        /// What.
        what: &'static str,
    },
    /// A world, a tool or a time is invalid.
    #[error(transparent)]
    Tissue(#[from] TissueError),
}

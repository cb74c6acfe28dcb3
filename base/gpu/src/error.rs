//! Errors of the GPU.

/// An error of a GPU.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no driver for a GPU, not even a software one.
    #[error(
        "no GPU driver was found ({0}); on Debian and Ubuntu the packages mesa-vulkan-drivers and libvulkan1 provide one, in software too"
    )]
    NoDriver(String),
    /// No GPU has the requested name.
    #[error("no GPU has {wanted:?} in its name ({variable}); found: {found:?}")]
    NoSuchGpu {
        /// Part of the name.
        wanted: String,
        /// Environment variable with the name.
        variable: &'static str,
        /// GPUs that were found.
        found: Vec<String>,
    },
    /// The GPU lacks a required feature.
    #[error("{gpu} lacks {what}, which is required")]
    Feature {
        /// Name of the GPU.
        gpu: String,
        /// Missing feature.
        what: &'static str,
    },
    /// A requirement exceeds a limit of the GPU.
    #[error("{what} needs {needed}, but {gpu} allows {limit}")]
    Limit {
        /// What exceeds the limit.
        what: String,
        /// Required value.
        needed: u64,
        /// Limit of the GPU.
        limit: u64,
        /// Name of the GPU.
        gpu: String,
    },
    /// The GPU's memory is full.
    #[error("{gpu} has no {bytes} bytes left for {what}")]
    Memory {
        /// Purpose of the memory.
        what: String,
        /// Size [bytes].
        bytes: u64,
        /// Name of the GPU.
        gpu: String,
    },
    /// The GPU was reset, unplugged or destroyed, and its memory is lost: open it again.
    #[error("the GPU is lost: {0}")]
    Lost(String),
    /// The driver refused work: a bug of insonate or of the driver.
    #[error("the GPU's driver refused: {0}")]
    Refused(String),
}

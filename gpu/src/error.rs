//! Errors of the GPU.

/// An error of a GPU.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No driver for a GPU, nor for a software one.
    #[error(
        "no GPU driver was found ({0}); on Debian and Ubuntu the packages mesa-vulkan-drivers and libvulkan1 provide one, in software too"
    )]
    NoDriver(String),
    /// The GPU asked for by name is not here.
    #[error("no GPU has {wanted:?} in its name ({variable}); found: {found:?}")]
    NoSuchGpu {
        /// Part of the name.
        wanted: String,
        /// The variable of the environment that asks for it.
        variable: &'static str,
        /// Those that are here.
        found: Vec<String>,
    },
    /// The GPU cannot do what is needed.
    #[error("{gpu} has no {what}, which is needed")]
    Feature {
        /// Which GPU.
        gpu: String,
        /// What it lacks.
        what: &'static str,
    },
    /// More is needed than the GPU allows.
    #[error("{what} needs {needed}, but {gpu} allows {limit}")]
    Limit {
        /// What needs it.
        what: String,
        /// How much.
        needed: u64,
        /// How much there may be.
        limit: u64,
        /// Which GPU.
        gpu: String,
    },
    /// The GPU's memory is full.
    #[error("{gpu} has no {bytes} bytes left for {what}")]
    Memory {
        /// What was to be kept there.
        what: String,
        /// How much.
        bytes: u64,
        /// Which GPU.
        gpu: String,
    },
    /// The GPU was reset, unplugged or destroyed, and its memory is lost: open it again.
    #[error("the GPU is lost: {0}")]
    Lost(String),
    /// The driver refused work: a bug of ours or of the driver.
    #[error("the GPU's driver refused: {0}")]
    Refused(String),
}

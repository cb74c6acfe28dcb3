//! What can be wrong with a GPU.

use crate::TissueError;

/// An error of the solvers on the GPU.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No driver gives access to a GPU, nor to one in software.
    #[error(
        "no GPU driver was found ({0}); on Debian and Ubuntu the packages mesa-vulkan-drivers and libvulkan1 bring one, in software too"
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
    /// The solver on the CPU has it, that on the GPU has not.
    #[error("{what} are not served on the GPU: take the solver on the CPU")]
    Unserved {
        /// What.
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
    /// The GPU has gone: reset, unplugged, or given back. What was on it is lost; open it anew and restore saved states.
    #[error("the GPU is lost: {0}")]
    Lost(String),
    /// The driver refused work. A bug here or there.
    #[error("the GPU's driver refused: {0}")]
    Refused(String),
    /// A world, a tool or a time is not as it must be.
    #[error(transparent)]
    Tissue(#[from] TissueError),
}

//! Errors: invalid bodies, tools and settings, and divergence.

use insonate_settings::SettingError;

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TissueError {
    /// A setting or an input is not allowed.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A particle lies outside the grid.
    #[error(
        "particle {particle} at {position:?} m is outside the domain from {low:?} to {high:?} m"
    )]
    Outside {
        /// Index of the particle.
        particle: usize,
        /// Position [m].
        position: [f64; 3],
        /// Lower corner of the domain [m].
        low: [f64; 3],
        /// Upper corner of the domain [m].
        high: [f64; 3],
    },
    /// A file cannot be read or written, or its content is invalid.
    #[error("{path}: {problem}")]
    File {
        /// Path of the file.
        path: String,
        /// Problem, and its place in the file.
        problem: String,
    },
    /// A file cannot be written. The text contains the name of the file and the reason.
    #[error("{0}")]
    Write(String),
    /// A mesh is not a closed surface or not a valid volume.
    #[error(transparent)]
    Mesh(#[from] insonate_meshes::MeshFault),
    /// A mesh file cannot be read.
    #[error(transparent)]
    MeshFile(#[from] insonate_meshes::MeshError),
    /// The bytes are not a saved state of this world.
    #[error("not a state of this world: {0}")]
    State(String),
    /// The GPU is missing, insufficient or lost, or this build has none. The text says which.
    #[error("{0}")]
    Gpu(String),
    /// The simulation has diverged. The world stays stopped until a reset.
    #[error("the tissue diverged after {time:.6} s: {reason}")]
    Diverged {
        /// Reason.
        reason: Divergence,
        /// Simulated time [s].
        time: f64,
    },
}

/// Reason for which a world stopped.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Divergence {
    /// A velocity is NaN or infinite.
    #[error("a velocity is not a number")]
    NotFinite,
    /// Particles cross more than half a cell in a substep.
    #[error(
        "particles at {speed:.3} m/s cross more than half a cell of {cell_width} m in a substep of {dt} s"
    )]
    TooFast {
        /// Greatest speed along an axis [m/s].
        speed: f64,
        /// Width of a cell [m].
        cell_width: f64,
        /// Length of the substep [s].
        dt: f64,
    },
    /// The GPU that steps the world failed.
    #[error("the GPU failed or was lost")]
    Gpu,
    /// A vertex exceeds the speed limit.
    #[error("a vertex moves at {speed:.3} m/s, faster than {most} m/s")]
    Runaway {
        /// Greatest speed [m/s].
        speed: f64,
        /// Speed limit [m/s].
        most: f64,
    },
    /// A particle has left the domain.
    #[error("a particle has left the domain")]
    Left,
    /// A node holds many times the greatest nodal mass at the start.
    #[error("particles are pressed together more than eightfold")]
    TooDense,
    /// Particles cover more of the domain than the allocated blocks.
    #[error(
        "particles are spread over more than the {n_blocks} blocks of nodes that there is memory for"
    )]
    Scattered {
        /// Number of allocated blocks.
        n_blocks: usize,
    },
}

impl From<insonate_files::FileError> for TissueError {
    fn from(error: insonate_files::FileError) -> Self {
        Self::Write(error.to_string())
    }
}

impl TissueError {
    pub(crate) fn file(path: &std::path::Path, problem: impl std::fmt::Display) -> Self {
        Self::File {
            path: path.display().to_string(),
            problem: problem.to_string(),
        }
    }

    pub(crate) fn setting(
        field: impl Into<String>,
        value: impl std::fmt::Debug,
        allowed: impl Into<String>,
    ) -> Self {
        SettingError::new(field, value, allowed).into()
    }
}

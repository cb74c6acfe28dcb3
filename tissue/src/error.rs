//! Errors of bodies, tools and settings, and of worlds that diverge.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TissueError {
    /// A setting is out of range.
    #[error("{field} is {value}, but must be {allowed}")]
    Setting {
        /// Its name.
        field: String,
        /// Its value.
        value: String,
        /// Its range.
        allowed: String,
    },
    /// A particle lies where the grid has no nodes for it.
    #[error(
        "particle {particle} at {position:?} m lies outside of the domain's {low:?} to {high:?} m"
    )]
    Outside {
        /// Which one.
        particle: usize,
        /// Where it is [m].
        position: [f64; 3],
        /// Least position [m].
        low: [f64; 3],
        /// Greatest position [m].
        high: [f64; 3],
    },
    /// A file cannot be read or written, or does not hold what it should.
    #[error("{path}: {problem}")]
    File {
        /// Which one.
        path: String,
        /// What is wrong, and where in the file.
        problem: String,
    },
    /// A file cannot be written; the text names it and says why.
    #[error("{0}")]
    Write(String),
    /// A mesh is not the surface of a solid, or not its volume.
    #[error(transparent)]
    Mesh(#[from] insonate_meshes::MeshFault),
    /// A mesh file cannot be read.
    #[error(transparent)]
    MeshFile(#[from] insonate_meshes::MeshError),
    /// Bytes are not a state of the world that was to be restored from them.
    #[error("not a state of this world: {0}")]
    State(String),
    /// The simulation has diverged; the world stays stopped until a reset.
    #[error("the tissue diverged after {time:.6} s: {reason}")]
    Diverged {
        /// Why.
        reason: Divergence,
        /// Simulated time [s].
        time: f64,
    },
}

/// Why a world stopped.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Divergence {
    /// A velocity is not a number.
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
    /// A vertex is faster than any tissue.
    #[error("a vertex moves at {speed:.3} m/s, faster than {most} m/s")]
    Runaway {
        /// Greatest speed [m/s].
        speed: f64,
        /// Greatest speed allowed [m/s].
        most: f64,
    },
    /// A particle has left the domain.
    #[error("a particle has left the domain")]
    Left,
    /// A node holds many times the mass that any held at the start.
    #[error("particles are pressed together more than eightfold")]
    TooDense,
    /// Particles are spread over more of the domain than there is memory for.
    #[error(
        "particles are spread over more than the {n_blocks} blocks of nodes that there is memory for"
    )]
    Scattered {
        /// How many there are.
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
        Self::Setting {
            field: field.into(),
            value: format!("{value:?}"),
            allowed: allowed.into(),
        }
    }
}

/// Fails for a number outside of an interval.
pub(crate) fn check_range(
    field: &str,
    value: f64,
    least: f64,
    most: f64,
) -> Result<(), TissueError> {
    if value >= least && value <= most {
        return Ok(());
    }
    Err(TissueError::setting(
        field,
        value,
        format!("from {least} to {most}"),
    ))
}

//! Errors of descriptions, inputs and steps.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContinuumError {
    /// A setting or an input is out of range.
    #[error("{field} is {value}, but must be {allowed}")]
    Setting {
        /// Its name.
        field: String,
        /// Its value.
        value: String,
        /// Its range.
        allowed: String,
    },
    /// A file cannot be read or written, or does not hold what it should.
    #[error("{path}: {problem}")]
    File {
        /// Which one.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// The introducer's mouth is inside of a wall.
    #[error("the base is {depth} m inside of a wall, but must be in the lumen")]
    BaseInWall {
        /// How deep [m].
        depth: f64,
    },
    /// An element is folded up: its nodes are in one place or turned against each other.
    #[error("element {element} of the rod is folded up; take smaller steps or shorter elements")]
    Folded {
        /// Counted from the base.
        element: usize,
    },
    /// Forces do not come to balance.
    #[error(
        "forces are unbalanced by {residual:.1e} of the load after {n_iterations} linearisations, allowed: {tolerance:e}, or a few times the {rounding:.1e} that rounding leaves; take more elements, or load the rod in smaller steps"
    )]
    Unbalanced {
        /// Greatest unbalanced force over the load.
        residual: f64,
        /// What was allowed.
        tolerance: f64,
        /// What rounding leaves.
        rounding: f64,
        /// Linearisations of all steps.
        n_iterations: usize,
    },
    /// A step is not a number.
    #[error("the rod's step is not a number")]
    Diverged,
    /// A mesh is not the wall of a lumen.
    #[error(transparent)]
    Mesh(#[from] insonate_meshes::MeshFault),
    /// A mesh file cannot be read.
    #[error(transparent)]
    MeshFile(#[from] insonate_meshes::MeshError),
}

impl ContinuumError {
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

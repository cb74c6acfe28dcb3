//! Errors of descriptions, inputs and steps.

use insonate_settings::SettingError;

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContinuumError {
    /// A setting or an input is not allowed.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A file cannot be read or written, or its content is invalid.
    #[error("{path}: {problem}")]
    File {
        /// Path of the file.
        path: String,
        /// Problem.
        problem: String,
    },
    /// The introducer's mouth is inside a wall.
    #[error("the base is {depth} m inside a wall; it must be in the lumen")]
    BaseInWall {
        /// Depth in the wall [m].
        depth: f64,
    },
    /// An element is folded: its nodes coincide or are turned against each other.
    #[error("element {element} of the rod is folded; take smaller steps or shorter elements")]
    Folded {
        /// Index of the element, counted from the base.
        element: usize,
    },
    /// Forces do not reach equilibrium.
    #[error(
        "forces are unbalanced by {residual:.1e} of the load after {n_iterations} linearisations, allowed: {tolerance:e}, or a few times the {rounding:.1e} that rounding leaves; take more elements, or load the rod in smaller steps"
    )]
    Unbalanced {
        /// Greatest unbalanced force relative to the load.
        residual: f64,
        /// Allowed residual.
        tolerance: f64,
        /// Residual from rounding.
        rounding: f64,
        /// Number of linearisations of all steps.
        n_iterations: usize,
    },
    /// A step is NaN or infinite.
    #[error("the rod's step is not finite; take smaller steps")]
    Diverged,
    /// A mesh is not a valid wall of a lumen.
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
        SettingError::new(field, value, allowed).into()
    }
}

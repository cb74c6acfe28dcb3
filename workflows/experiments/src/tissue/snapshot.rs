//! State of one moment for a film.

use nalgebra::Isometry3;

use super::simulation::TissueSurface;

/// Visible state at one time.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// The tissue; `None` if nothing is left to draw after it is torn to crumbs.
    pub(super) surface: Option<TissueSurface>,
    /// Poses of the visible parts.
    pub(super) poses: Vec<Isometry3<f64>>,
}

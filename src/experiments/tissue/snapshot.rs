//! What a film draws of a moment.

use nalgebra::Isometry3;

use super::simulation::TissueSurface;

/// What is seen at a time.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// The tissue; none where nothing is left to draw of what is torn to crumbs.
    pub(super) surface: Option<TissueSurface>,
    /// Poses of the parts that are seen.
    pub(super) poses: Vec<Isometry3<f64>>,
}

//! Signed distance of a point from a surface.

use nalgebra::Vector3;

/// Signed distance of a point from a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedDistance {
    /// Distance [m], negative inside.
    pub distance: f64,
    /// Outward unit normal at the nearest point of the surface.
    pub normal: Vector3<f64>,
}

//! The free space in which a rod moves.

use nalgebra::Vector3;

/// The free space in which a rod moves, bounded by walls.
pub trait Lumen: Send + Sync {
    /// Appends the wall points that are locally nearest to `point` [m] and nearer than `within` [m].
    ///
    /// In corners and narrow places there are two or more of them; the nearest is always among them where it is near enough.
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>);
}

/// A point of a wall, seen from a point near it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallPoint {
    /// Where it is [m].
    pub position: Vector3<f64>,
    /// Unit vector into the free space.
    pub normal: Vector3<f64>,
    /// Distance of the point that was asked for [m], positive in free space.
    pub distance: f64,
}

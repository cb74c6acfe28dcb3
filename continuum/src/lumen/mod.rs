//! The free space in which a rod moves.
//!
//! Analytic walls: [`Plane`], [`StraightTube`]. Tubes that branch are a [`TubeNetwork`], a signed-distance field: the [`TPhantom`] of the
//! paper and the [`bronchial_tree`]. A [`MeshLumen`] is the inside of a closed mesh; [`TubeNetwork::mesh`] makes one of a network.

mod airways;
mod centre_line;
mod mesh;
mod network;
mod plane;
mod polygonise;
mod section;
mod straight_tube;
mod t_phantom;

use nalgebra::Vector3;

use crate::ContinuumError;

pub use airways::{AirwayDepth, bronchial_tree};
pub use centre_line::CentreLine;
pub use mesh::MeshLumen;
pub use network::{Branch, TubeNetwork};
pub use plane::Plane;
pub use straight_tube::StraightTube;
pub use t_phantom::TPhantom;

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

fn unit(field: &str, vector: Vector3<f64>) -> Result<Vector3<f64>, ContinuumError> {
    let length = vector.norm();
    if !(1e-9..=1e9).contains(&length) {
        let value: [f64; 3] = vector.into();
        return Err(ContinuumError::setting(field, value, "finite, of a length"));
    }
    Ok(vector / length)
}

fn check_radius(field: &str, radius: f64) -> Result<(), ContinuumError> {
    if (1e-4..=1.0).contains(&radius) {
        return Ok(());
    }
    Err(ContinuumError::setting(field, radius, "1e-4 to 1 m"))
}

/// A unit vector at right angles to a vector.
fn perpendicular(vector: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[vector.iamin()] = 1.0;
    vector.cross(&axis).normalize()
}

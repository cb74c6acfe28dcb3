//! The free space in which a rod moves.
//!
//! Analytic walls: [`Plane`], [`StraightTube`]. A [`TubeNetwork`] of branching tubes is a signed-distance field;
//! examples are the [`TPhantom`] of the paper and the [`bronchial_tree`]. A [`MeshLumen`] is the interior of a closed
//! mesh; [`TubeNetwork::mesh`] converts a network to a mesh.

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
    /// In corners and narrow places there are two or more. The nearest wall point is always included if it is within
    /// `within`.
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>);
}

/// A wall point near a query point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallPoint {
    /// Position [m].
    pub position: Vector3<f64>,
    /// Unit vector into the free space.
    pub normal: Vector3<f64>,
    /// Signed distance of the query point from the wall [m], positive in free space.
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
    Err(ContinuumError::setting(
        field,
        radius,
        "between 1e-4 and 1 m",
    ))
}

/// A unit vector orthogonal to a vector.
fn perpendicular(vector: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[vector.iamin()] = 1.0;
    vector.cross(&axis).normalize()
}

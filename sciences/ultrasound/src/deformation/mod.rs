//! Deformation of tissue: maps between rest points and world points.
//!
//! Organs and scatterers are defined in the rest shape of the body, so that they move with the tissue.

mod field;
mod indentation;
mod region;
mod rigid;
mod samples;
mod steps;
mod tetrahedra;

pub use field::DisplacementField;
pub use indentation::Indentation;
pub use region::Region;
pub use rigid::Rigid;
pub use tetrahedra::Tetrahedra;

/// A point [m].
pub type Point = nalgebra::Point3<f32>;
/// A direction or a difference of points [m].
pub type Vector = nalgebra::Vector3<f32>;

/// A deformation of a body.
pub trait Deformation: Send + Sync {
    /// Rest point of a world point; `None` outside of the body.
    fn rest_from_world(&self, world: &Point) -> Option<Point>;

    /// Replaces world points by their rest points; NaN for points outside of the body.
    fn rest_from_worlds(&self, points: &mut [Point]) {
        for point in points {
            let nowhere = || Vector::repeat(f32::NAN).into();
            *point = self.rest_from_world(point).unwrap_or_else(nowhere);
        }
    }

    /// World point of a rest point; `None` outside of the body.
    fn world_from_rest(&self, rest: &Point) -> Option<Point>;

    /// Upper bound of the ratio of lengths at rest to lengths in the world, from a world point on into the body.
    fn max_compression(&self, world: &Point) -> f32;
}

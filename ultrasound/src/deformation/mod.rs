//! Where tissue is: rest points of world points and back.
//!
//! Organs and scatterers are described in the shape that the body has at rest, so that they move with the tissue.

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

    /// Puts rest points in the place of world points; numbers that are none where these lie outside of the body.
    fn rest_from_worlds(&self, points: &mut [Point]) {
        for point in points {
            let nowhere = || Vector::repeat(f32::NAN).into();
            *point = self.rest_from_world(point).unwrap_or_else(nowhere);
        }
    }

    /// World point of a rest point; `None` outside of the body.
    fn world_from_rest(&self, rest: &Point) -> Option<Point>;

    /// The most by which distances at rest exceed those in the world, from a world point on into the body.
    fn max_compression(&self, world: &Point) -> f32;
}

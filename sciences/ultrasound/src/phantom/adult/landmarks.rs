//! Landmarks of the organs at rest.

use crate::deformation::{Point, Vector};

/// Positions of organs at rest, in the torso's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landmarks {
    /// Centre of the right kidney [m].
    pub right_kidney: Point,
    /// Long axis of the right kidney towards the head, of unit length.
    pub right_kidney_axis: Vector,
    /// Centre of the liver's right lobe [m].
    pub liver: Point,
}

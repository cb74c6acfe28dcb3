//! Organs with a known surface.

use super::shape::Shape;
use crate::deformation::Point;

/// An organ with a known surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoftOrgan {
    /// The liver, both lobes.
    Liver,
    /// The right kidney.
    RightKidney,
}

/// A point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Rest position, in the torso's frame [m].
    pub rest: Point,
    /// Area that the point represents [m²].
    pub area: f32,
}

/// Ellipsoids whose unions are the organs.
pub(super) type Outlines = Vec<(SoftOrgan, Vec<Shape>)>;

impl SoftOrgan {
    /// All organs, with names.
    pub const ALL: [(&'static str, Self); 2] =
        [("liver", Self::Liver), ("right_kidney", Self::RightKidney)];

    /// Prefix of the names of its materials.
    pub(super) fn material(self) -> &'static str {
        match self {
            Self::Liver => "liver",
            Self::RightKidney => "kidney",
        }
    }
}

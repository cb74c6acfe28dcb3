//! Phantoms: materials and explicit scatterers in the rest shape.

mod adult;
mod block;
mod inserts;
pub mod labels;
mod lesions;
mod neck;
mod site;
mod test_blocks;

pub use adult::{Adult, Landmarks, SoftOrgan, SurfacePoint};
pub use block::{Block, Rod};
pub use inserts::{Insert, Inserts, LesionFigures, Solid};
pub use labels::LabelVolume;
pub use lesions::{Lesion, LesionKind, place_lesions};
pub use neck::Neck;

use crate::deformation::{Point, Vector};
use crate::material::Material;

/// An object to be imaged, in its rest shape.
pub trait Phantom: Send + Sync {
    /// Its materials; the first surrounds it.
    fn materials(&self) -> &[Material];

    /// Material and clearance at a rest point.
    fn place(&self, rest: &Point) -> PointMaterial;

    /// Material at the start of a straight segment at rest, and the share of the segment over which it continues. Phantoms whose boundaries
    /// are known in closed form reach the next boundary in one leap.
    fn stretch(&self, start: &Point, way: &Vector) -> SegmentMaterial {
        SegmentMaterial::by_clearance(self.place(start), way.norm())
    }

    /// Unit normal of the boundary next to a rest point, with either sign.
    fn normal(&self, rest: &Point) -> Vector;

    /// Height of the steps in a skin that is smooth in reality [m]; 0 if it has none.
    fn skin_step(&self) -> f32 {
        0.0
    }

    /// Corners of the body [m]; `None` if it is infinite.
    fn bounds(&self) -> Option<[Point; 2]> {
        None
    }

    /// Scatterers that stand out from the speckle: wires, grains.
    fn scatterers(&self) -> &[Scatterer] {
        &[]
    }
}

/// Material at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMaterial {
    /// Index among the materials.
    pub material: u8,
    /// Distance within which there is no other material [m]; 0 if unknown.
    pub clearance: f32,
}

/// Material on a straight segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentMaterial {
    /// Material at the start.
    pub place: PointMaterial,
    /// Share of the segment on which there is no other material, 0 to 1.
    pub share: f32,
    /// Whether another material begins exactly at that share.
    pub is_boundary: bool,
}

impl SegmentMaterial {
    /// From the clearance at the start of a segment of a length [m].
    pub fn by_clearance(place: PointMaterial, length: f32) -> Self {
        Self {
            place,
            share: (place.clearance / length).clamp(0.0, 1.0),
            is_boundary: false,
        }
    }

    /// Limits the share; the material behind it is unknown.
    #[must_use]
    pub fn up_to(self, share: f32) -> Self {
        self.cut(share, false)
    }

    /// Limits the share to a boundary, at which another material begins.
    #[must_use]
    pub fn up_to_boundary(self, share: f32) -> Self {
        self.cut(share, true)
    }

    fn cut(self, share: f32, is_boundary: bool) -> Self {
        if share >= self.share {
            return self;
        }
        Self {
            share,
            is_boundary,
            ..self
        }
    }
}

/// A point scatterer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatterer {
    /// Rest position [m].
    pub rest: Point,
    /// Peak of its echo relative to the root mean square of liver's speckle.
    pub amplitude: f32,
}

//! What is imaged: materials and explicit scatterers in the shape at rest.

mod adult;
mod block;
mod inserts;
pub mod labels;
mod lesions;
mod neck;
mod site;

pub use adult::{Adult, Landmarks, SoftOrgan, SurfacePoint};
pub use block::{Block, Rod};
pub use inserts::{Insert, Inserts, Solid};
pub use labels::LabelVolume;
pub use lesions::{Lesion, LesionKind, place_lesions};
pub use neck::Neck;

use crate::deformation::{Point, Vector};
use crate::material::Material;

/// Something to be imaged, in its rest shape.
pub trait Phantom: Send + Sync {
    /// Its materials; the first surrounds it.
    fn materials(&self) -> &[Material];

    /// What is at a rest point.
    fn place(&self, rest: &Point) -> Place;

    /// What is at the start of a straight way at rest, and how much of the way is of the same: where boundaries are known in closed form, in one
    /// leap up to the next.
    fn stretch(&self, start: &Point, way: &Vector) -> Stretch {
        Stretch::by_clearance(self.place(start), way.norm())
    }

    /// Unit normal of the boundary next to a rest point, of either sign.
    fn normal(&self, rest: &Point) -> Vector;

    /// Height of the steps that its skin has where a body's would be smooth [m]; 0 where it has none.
    fn skin_step(&self) -> f32 {
        0.0
    }

    /// Corners of the body [m]; none where it has no end.
    fn bounds(&self) -> Option<[Point; 2]> {
        None
    }

    /// Scatterers that stand out of the speckle: wires, grains.
    fn scatterers(&self) -> &[Scatterer] {
        &[]
    }
}

/// What is at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Index among the materials.
    pub material: u8,
    /// Nothing else begins within this distance [m]; 0 where that is not known.
    pub clearance: f32,
}

/// What is on a straight way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// What is at its start.
    pub place: Place,
    /// Nothing else begins on this share of the way, 0 to 1.
    pub share: f32,
    /// Whether something else begins just there.
    pub is_boundary: bool,
}

impl Stretch {
    /// Of a way of a length [m], by the clearance at its start.
    pub fn by_clearance(place: Place, length: f32) -> Self {
        Self {
            place,
            share: (place.clearance / length).clamp(0.0, 1.0),
            is_boundary: false,
        }
    }

    /// Not farther than a share of the way, behind which anything may be.
    #[must_use]
    pub fn up_to(self, share: f32) -> Self {
        self.cut(share, false)
    }

    /// Not farther than a share of the way, at which something else begins.
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

/// A point that scatters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatterer {
    /// Where it is at rest [m].
    pub rest: Point,
    /// Peak of its echo over the root mean square of liver's speckle.
    pub amplitude: f32,
}

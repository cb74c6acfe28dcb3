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
pub use inserts::{Insert, Inserts, MeshSolid, Solid};
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

    /// Unit normal of the boundary next to a rest point, of either sign.
    fn normal(&self, rest: &Point) -> Vector;

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

/// A point that scatters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatterer {
    /// Where it is at rest [m].
    pub rest: Point,
    /// Peak of its echo over the root mean square of liver's speckle.
    pub amplitude: f32,
}

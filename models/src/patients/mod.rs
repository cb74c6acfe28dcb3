//! Patients: an adult who lies on the table, with a soft trunk and rigid head, arms and legs.
//!
//! * [`Physique`]: sex, height and mass, within the ranges of adults, or sampled with a seed.
//! * [`Trunk`]: the soft part as one function, of an adult or of the skin of a made patient. Every kind of torso is sampled from it.
//! * `figure`, `body_parts`: head, arms and legs as distance functions, and the rigid meshes and capsules made from them.

mod adult_trunk;
mod body_parts;
mod body_shape;
mod breath;
mod figure;
mod physique;
mod relief;
mod skin;
mod trunk;

pub use adult_trunk::AdultTrunk;
pub(crate) use body_parts::body_parts;
pub use body_shape::BodyShape;
pub(crate) use breath::rise;
pub use physique::{Physique, Sex};
pub(crate) use skin::{Bone, DrawnSkin};
pub use trunk::Trunk;

//! Patients: an adult who lies on the table, with a soft trunk and rigid head, arms and legs.
//!
//! * [`Physique`]: sex, height and mass, within the ranges of adults, or sampled with a seed.
//! * [`Trunk`]: the soft part as one function. Every kind of torso is sampled from it.
//! * `figure`, `body_parts`: head, arms and legs as distance functions, and the rigid meshes and capsules made from them.

mod body_parts;
mod breath;
mod figure;
mod physique;
mod relief;
mod skin;
mod trunk;

pub(crate) use body_parts::body_parts;
pub(crate) use breath::rise;
pub use physique::{Physique, Sex};
pub(crate) use skin::{Bone, DrawnSkin};
pub use trunk::Trunk;

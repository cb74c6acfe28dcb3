//! Patients: an adult who lies on the table, with a soft trunk and rigid company.
//!
//! * [`Physique`]: sex, height and mass, within the ranges of adults, or drawn by a seed.
//! * [`Trunk`]: the soft part as one function, which every kind of torso samples.
//! * `figure`, `company`: head, arms and legs as distances, and the rigid meshes and capsules made of them.

mod breath;
mod company;
mod figure;
mod physique;
mod relief;
mod skin;
mod trunk;

pub(crate) use breath::rise;
pub(crate) use company::company;
pub use physique::{Physique, Sex};
pub(crate) use skin::{Bone, DrawnSkin};
pub use trunk::Trunk;

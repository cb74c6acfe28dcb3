//! Soft tissue pressed and pulled by rigid tools, and the force that it answers with.
//!
//! Knows no robot and no physics engine: tools are moved from outside, and the wrench on each is read out.

pub mod body;
mod elasticity;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod graspable;
mod lanes;
mod material;
pub mod mesh;
pub mod mpm;
mod soft_tissue;
pub mod surface;
mod threads;
pub mod tool;
pub mod xpbd;

pub use elasticity::{ElasticLaw, FixedCorotated, NeoHookean};
pub use error::{Divergence, TissueError};
pub use graspable::Graspable;
pub use material::{Material, Tearing};
pub use soft_tissue::SoftTissue;

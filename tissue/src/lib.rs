//! Soft tissue pressed and pulled by rigid tools, and the force that it answers with.
//!
//! Knows no robot and no physics engine: tools are moved from outside, and the wrench on each is read out.

mod elasticity;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod lanes;
mod material;
pub mod mesh;
pub mod mpm;
mod soft_tissue;
pub mod tool;

pub use elasticity::NeoHookean;
pub use error::{Divergence, TissueError};
pub use material::Material;
pub use soft_tissue::SoftTissue;

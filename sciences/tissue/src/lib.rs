//! Simulation of soft tissue that rigid tools press and pull, with the forces on the tools.
//!
//! The crate depends on no robot and no physics engine: the caller moves the tools and reads the wrench on each of
//! them.

pub mod body;
pub mod condensed;
mod elasticity;
pub mod equilibrium;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod graspable;
mod lanes;
mod material;
pub mod mesh;
pub mod mpm;
mod soft_tissue;
mod state_reader;
mod stress;
pub mod surface;
mod threads;
pub mod tool;
pub mod xpbd;

pub use elasticity::{ElasticLaw, FixedCorotated, NeoHookean};
pub use error::{Divergence, TissueError};
pub use graspable::Graspable;
pub use material::{Material, Tearing};
pub use soft_tissue::SoftTissue;
pub use stress::TissueStress;

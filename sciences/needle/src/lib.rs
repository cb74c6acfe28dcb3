//! A needle in soft tissue: puncture, cutting, friction along the shaft, bending, and a channel that stays open.
//!
//! The crate depends on no robot, no physics engine and no solver of tissue: the caller moves the base of the needle and reads shape and
//! forces, and a body of tissue implements [`Tissue`].
//!
//! The path of the needle is a list of material points, which are added while the tip cuts. Each point has two lateral rows, which hold it
//! on the shaft, and an axial row, whose force is limited by friction. The tip has a row whose force is limited by puncture or cutting. All
//! rows are solved implicitly with the compliance of the tissue, so a point sticks until its force reaches the limit, and no relaxation
//! factor takes the place of friction.
//!
//! Frames: the base's frame has its origin at the hub, z along the straight needle towards the tip, and x towards the side to which a
//! bevel bends it. The needle is a uniform cantilever with small slopes (Euler and Bernoulli), rigid along its axis and in torsion.

mod cut;
mod error;
mod gauge;
mod layer;
mod needle;
mod path;
mod report;
mod rod;
mod rows;
mod settle;
mod tissue;

pub use error::NeedleError;
pub use gauge::Gauge;
pub use layer::Layer;
pub use needle::{Needle, Settings};
pub use report::Report;
pub use rod::{NeedleConfig, Tip};
pub use tissue::{Compliance, Tissue};

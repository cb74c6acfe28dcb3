//! XPBD: tissue as tetrahedra, whose vertices are corrected by elastic constraints.
//!
//! A substep of Δt predicts positions, corrects them once per constraint with its compliance α and damping β in
//! physical units (Macklin, Müller and Chentanez 2016, doi:10.1145/2994258.2994272, Eq. 18 and 26), handles contact
//! with tools, and computes velocities from the displacements of the vertices. Many small substeps converge faster than
//! many iterations in one substep (Macklin et al. 2019, doi:10.1145/3309486.3340247).
//!
//! Patches of tetrahedra around edges carry most of a material's energy, by their mean deformation, because single
//! tetrahedra lock. Bodies that tear have no patches.
//!
//! With one correction per substep, an element is softer than its material by about 1 / (1 + c² Δt² / h²), with the
//! wave speed c and its height h. Contact sums the momentum that it takes from the tissue, so the force on a tool is
//! the force that the tissue received.

mod alive;
mod attachment;
mod batch;
mod bench_scene;
mod block;
mod body;
pub(crate) mod color;
mod config;
pub(crate) mod constraint;
pub(crate) mod constraints;
mod contact;
mod correction;
mod deformation;
mod elasticity;
mod gripper;
pub(crate) mod held;
mod lane_layout;
mod model;
pub(crate) mod neighbors;
mod pack;
mod partition;
mod patch;
mod points;
mod predict;
mod slab_state;
mod snapshot;
mod state;
mod step;
pub(crate) mod stress;
mod sweep;
mod tear;
mod tet;
pub(crate) mod topology;
mod update;
mod vector;
mod window;
mod world;

pub use attachment::{Anchor, Attachment};
pub use batch::{BatchWorld, XpbdBatch};
pub use bench_scene::BenchScene;
pub use body::XpbdBody;
pub use config::{Sweep, XpbdConfig};
pub use elasticity::Elasticity;
pub use gripper::{Gripper, GripperGeometry};
pub use world::Xpbd;

pub use crate::graspable::Graspable;

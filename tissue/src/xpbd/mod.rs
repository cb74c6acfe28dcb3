//! XPBD: tissue as tetrahedra, whose vertices are moved to where elastic constraints want them.
//!
//! A substep of Δt predicts positions, corrects them once by each constraint with its compliance α and damping β in physical units
//! (Macklin, Müller and Chentanez 2016, doi:10.1145/2994258.2994272, Eq. 18 and 26), meets tools, and takes velocities from how far the
//! vertices have come. Many small substeps converge faster than many corrections in one (Macklin et al. 2019,
//! doi:10.1145/3309486.3340247).
//!
//! Most of a material's energy is that of patches of tetrahedra around edges by their mean deformation, as single tetrahedra lock; bodies that
//! tear have no patches.
//!
//! With one correction a substep, an element is softer than its material by about 1 / (1 + c² Δt² / h²), with c the speed of waves and h
//! its height; contact adds the momentum that it takes from tissue, so the force on a tool is that which the tissue really felt.

mod alive;
mod attachment;
mod batch;
mod bench_scene;
mod block;
mod body;
mod color;
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
mod snapshot;
mod state;
mod step;
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

//! Motions of surgery on soft tissue: [`run`] pushes, pulls, tears, stretches, retracts or presses a body, with either solver.
//!
//! * [`MotionPlan`]: what to do; [`motions`]: what there is to do, one motion a file.
//! * `specimen`: body, material and resolution → particles or tetrahedra; `part`: what instruments and supports are made of.
//! * `world`: what both solvers do here; `ledger`: where momentum came from and went.
//! * [`MotionRecord`] and [`MotionSummary`]: what came out; [`MotionFilm`]: what it looked like.

mod device;
mod film;
mod grasper;
mod lab;
mod ledger;
pub mod motions;
mod part;
mod particles;
mod pieces;
mod plan;
mod record;
mod schedule;
mod specimen;
mod stage_mjcf;
mod summary;
mod tetrahedra;
mod world;

pub use device::{Backend, Device};
pub use film::MotionFilm;
pub use lab::{MotionRun, run};
pub use plan::{MotionPlan, TissueSolver};
pub use record::{MotionRecord, MotionSample};
pub use specimen::BodyKind;
pub use summary::{LayerSummary, MotionSummary};
pub use world::Skin;

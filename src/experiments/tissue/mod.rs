//! Motions of surgery on soft tissue: [`run`] pushes, pulls, tears, stretches, retracts or presses a body, with either solver.
//!
//! * [`MotionPlan`]: what to do; [`motions`]: what there is to do, one motion a file.
//! * `discretized_body`: body, material and resolution → particles or tetrahedra; `rigid_part`: what instruments and supports are made of.
//! * `simulation`: what both solvers do here; `momentum_balance`: momentum of the tissue against the impulses on it.
//! * [`MotionRecord`] and [`MotionSummary`]: what came out; [`MotionFilm`]: what it looked like.

mod discretized_body;
mod film;
mod film_mjcf;
mod grasper;
mod minimum_jerk;
mod momentum_balance;
pub mod motions;
mod mpm;
mod pieces;
mod plan;
mod record;
mod rigid_part;
mod run;
mod simulation;
mod snapshot;
mod summary;
mod xpbd;

pub use discretized_body::BodyKind;
pub use film::MotionFilm;
pub use plan::{MotionPlan, TissueSolver};
pub use record::{MotionRecord, MotionSample};
pub use run::{MotionRun, run};
pub use simulation::TissueSurface;
pub use summary::{LayerSummary, MotionSummary};

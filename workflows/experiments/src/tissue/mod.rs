//! Surgical motions on soft tissue: [`run`] pushes, pulls, tears, stretches, retracts or presses a body with either solver.
//!
//! * [`MotionPlan`]: settings of a motion; [`motions`]: the available motions, one per file.
//! * `discretized_body`: body, material and resolution → particles or tetrahedra; `rigid_part`: parts of instruments and supports.
//! * `simulation`: interface of both solvers; `momentum_balance`: momentum of the tissue compared with the impulses on it.
//! * [`MotionRecord`] and [`MotionSummary`]: results; [`MotionFilm`]: pictures.

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

//! Identification of the PSM's parameters from recorded motions.
//!
//! ```text
//! file ── MotionLog::read ──► filter, differentiate ──► regressor in the log's coordinates
//!                                                        └ Identification::fit ──► base parameters, errors, feasible arm
//! FourierTrajectory ──► the motion to record
//! ```

mod checks;
mod columns;
mod equations;
mod feasible;
mod filter;
mod fourier;
mod identify;
mod log;
mod motion_log;
mod observations;
mod optimise;
mod payload;
mod payload_checks;
mod payload_equations;
mod payload_fit;
mod robust;
mod tables;
mod time;
mod units;

pub use equations::Method;
pub use filter::Filtering;
pub use fourier::{ExcitationLimits, FourierTrajectory, N_HARMONICS};
pub use identify::Identification;
pub use motion_log::{Coordinates, MotionLog};
pub use payload::Payload;
pub use units::{AngleUnit, LengthUnit, Reading, TorqueSign};

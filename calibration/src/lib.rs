//! Softness of tissue from recorded probe force logs: stiffness and damping with confidence intervals.
//!
//! A log goes through three stages; each stage reports its choices:
//!
//! ```text
//! file ── formats::read ──► Log ── prepare ──► Samples ── models::…::fit ──► Fit
//!          SI units once      bias, contact, normal,        parameters, intervals,
//!                             velocity, window              residuals, identifiability
//! ```
//!
//! [`calibrate`] runs the last two stages for one log, [`calibrate_sites`] for several logs and pools them.
//! [`Softness`](softness::SoftnessFile) is the file that a scene reads.
//! This crate does not simulate and does not depend on MuJoCo.

mod calibrate;
mod calibrate_sites;
mod curvature;
mod error;
mod fit;
mod force_latency;
mod friction;
pub mod map;
mod misfit;
pub mod models;
mod pool;
mod prepare;
mod samples;
pub mod softness;
mod statistics;
pub mod synthetic;
mod warnings;

use insonate_tables::interpolation;

pub use calibrate::{Calibration, CalibrationOptions, ModelChoice, calibrate};
pub use calibrate_sites::{SiteCalibrations, calibrate_sites};
pub use error::CalibrationError;
pub use fit::{
    ElasticTerm, Fit, FitOptions, FitStatistics, Indenter, Loss, MovingMass, Parameter, SharedError,
};
pub use insonate_tables::{Channel, Log, LogFrames, LogSource, Motion};
pub use models::selection::{ModelCandidate, ModelSelection};
pub use pool::{Pooled, PooledParameter, StiffnessDampingRatio, pool};
pub use prepare::{
    ForceBias, ForceFrame, ForceLatency, ForceSign, LogOverview, PrepareOptions, PreparedLog,
    VelocitySource, prepare,
};
pub use samples::{ContactPoint, PreparationChoice, SampleChange, Samples};

/// Readers of logs, with their options: those of the crate `insonate-tables`.
pub mod formats {
    pub use insonate_tables::{
        Columns, Format, MAX_FILE_BYTES, MAX_SAMPLES, OrientationKind, ReadOptions, RobotJoint,
        RobotKinematics, TableError, TipPose, Units, read, read_bytes,
    };
}

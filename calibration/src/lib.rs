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
mod doubts;
mod error;
mod fit;
pub mod formats;
mod frames;
mod friction;
mod interpolation;
mod late;
mod log;
pub mod map;
mod misfit;
pub mod models;
mod pool;
mod prepare;
mod samples;
pub mod softness;
mod statistics;
pub mod synthetic;

pub use calibrate::{Calibration, CalibrationOptions, ModelChoice, calibrate};
pub use calibrate_sites::{SiteCalibrations, calibrate_sites};
pub use error::CalibrationError;
pub use fit::{
    ElasticTerm, Fit, FitOptions, FitStatistics, Indenter, Loss, MovingMass, Parameter, SharedError,
};
pub use frames::LogFrames;
pub use log::{Channel, Log, LogSource, Motion};
pub use models::selection::{ModelCandidate, ModelSelection};
pub use pool::{Pooled, PooledParameter, StiffnessDampingRatio, pool};
pub use prepare::{
    ForceBias, ForceFrame, ForceLatency, ForceSign, LogOverview, PrepareOptions, PreparedLog,
    VelocitySource, prepare,
};
pub use samples::{ContactPoint, PreparationChoice, SampleChange, Samples};

//! Learning with insonate: policies are trained, evaluated, shown how to act, and compared in a study or benchmark.
//!
//! ```text
//! demonstrations ─► training ─► evaluation ─► study
//! ```
//!
//! * [`training`]: settings, a training with its files, its summary and learning curve.
//! * [`evaluation`]: policies by name, episodes with statistics, rollouts with plots and films.
//! * [`demonstrations`]: recordings of experts, and imitation learning.
//! * [`study`]: from recorded presses of one patient to a policy, with the error of each step.
//! * [`benchmark`]: tasks × algorithms × seeds, compared with scripts.
//! * [`mcap`]: experiments and rollouts as logs for viewers.

pub mod benchmark;
pub mod demonstrations;
mod error;
pub mod evaluation;
pub mod mcap;
mod patients;
pub mod study;
mod task_settings;
pub mod training;

pub use error::LearningError;
pub use patients::{hold_out, patient_folders};

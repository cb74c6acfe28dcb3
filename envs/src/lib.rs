//! Simulated tasks with Gymnasium's interface.
//!
//! An [`Env`] is one task with `reset` and `step`. A [`VecEnv`] steps many environments on all cores. [`tasks`] has one task per file.
//! [`probe`] holds the common parts of tasks with a robot arm and a probe, [`surgery`] those of tasks with an instrument in soft tissue.
//!
//! An episode is a pure function of its seed, options and actions: it is bit-identical on any number of threads. A state within an
//! episode is restored by replaying its actions.

pub mod actions;
pub mod camera;
pub mod check;
pub mod env;
pub mod environment;
pub mod error;
pub mod factory;
mod frame_stack;
mod named_values;
pub mod needle;
mod observation_group;
mod organs_of_labels;
mod own_patient;
pub mod parameters;
pub mod probe;
pub mod randomization;
mod scope_view;
pub mod settings;
pub mod space;
pub mod staged;
pub mod surgery;
pub mod tasks;
pub mod ultrasound;
pub mod vector;

pub use env::{EndReason, Env, EnvSpec, Lockstep, ResetOptions, Step};
pub use environment::{Environment, EpisodeEnd, Simulation, StepFailure};
pub use error::EnvError;
pub use factory::EnvFactory;
pub use frame_stack::FrameStack;
pub use named_values::NamedValues;
pub use observation_group::{GroupKind, ObservationGroup};
pub use own_patient::{OwnPatient, named_folder, patient_name};
pub use space::BoxSpace;
pub use staged::{BatchGoal, BatchRow, BatchSeat, BatchTask, SharedBatchTask, Staged};
pub use vector::{Autoreset, Batch, EpisodeStatistics, Start, VecConfig, VecEnv};

/// The tutorial, compiled and run as a test.
#[doc = include_str!("../../docs/do/own-task.md")]
#[cfg(doctest)]
pub struct YourOwnTask;

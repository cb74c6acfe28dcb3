//! Environments: Gymnasium's semantics over simulated tasks.
//!
//! A `Task` says what to do in a scene; an `Environment` makes an [`Env`] of it:
//! reset, step, observation, reward. A vector of environments steps many of them on all cores.
//!
//! An episode is a pure function of its seed, its options and its actions: the same bits on any number of threads, and a state
//! in the middle of an episode is restored by replaying its actions.

pub mod actions;
pub mod camera;
pub mod check;
pub mod env;
pub mod environment;
pub mod error;
mod moments;
pub mod observation;
pub mod parameters;
pub mod randomization;
pub mod settings;
pub mod space;
pub mod stage;
pub mod task;
pub mod tasks;
pub mod theatre;
pub mod vector;
pub mod wrappers;

pub use env::{EndReason, Env, EnvSpec, ResetOptions, Step};
pub use error::EnvError;
pub use moments::RunningMoments;
pub use space::BoxSpace;
pub use vector::{Autoreset, Batch, Ended, VecConfig, VecEnv};

/// The tutorial, compiled and run.
#[doc = include_str!("../../docs/your-own-task.md")]
#[cfg(doctest)]
pub struct YourOwnTask;

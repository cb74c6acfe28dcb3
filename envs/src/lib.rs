//! Environments: Gymnasium's semantics over simulated tasks.
//!
//! An [`Env`] is one task with `reset` and `step`; a [`VecEnv`] steps many on all cores. [`tasks`] has one task per file:
//! [`probe`] is what those with a robot arm and a probe share, [`surgery`] those with an instrument in soft tissue.
//!
//! An episode is a pure function of its seed, its options and its actions: the same bits on any number of threads, and a state
//! in the middle of an episode is restored by replaying its actions.

pub mod actions;
pub mod camera;
pub mod check;
pub mod env;
pub mod environment;
pub mod error;
pub mod factory;
mod frame_stack;
pub mod parameters;
pub mod probe;
pub mod randomization;
mod scope_view;
pub mod settings;
pub mod space;
pub mod surgery;
pub mod tasks;
pub mod ultrasound;
pub mod vector;

pub use env::{EndReason, Env, EnvSpec, Lockstep, ResetOptions, Step};
pub use environment::{Environment, EpisodeEnd, Simulation, StepFailure};
pub use error::EnvError;
pub use factory::EnvFactory;
pub use frame_stack::FrameStack;
pub use space::BoxSpace;
pub use vector::{Autoreset, Batch, EpisodeStatistics, Start, VecConfig, VecEnv};

/// The tutorial, compiled and run.
#[doc = include_str!("../../docs/your-own-task.md")]
#[cfg(doctest)]
pub struct YourOwnTask;

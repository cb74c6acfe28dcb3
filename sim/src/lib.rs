//! Simulation: the only crate that names MuJoCo.
//!
//! MJCF text → [`compile()`] → `Arc<MjModel>` → [`Physics`] (one state) → readings, controllers, pictures.
//!
//! SI units, radians, world frame with z up, quaternions `[w, x, y, z]`.

pub mod compile;
pub mod error;
pub mod ffi;
pub mod names;
pub mod physics;

mod log_handler;

pub use compile::compile;
pub use error::SimError;
pub use physics::{Divergence, DivergenceReason, Physics};

/// The compiled, constant description of a scene, and MuJoCo's state of it.
pub use mujoco_rs::wrappers::{mj_data::MjData, mj_model::MjModel};

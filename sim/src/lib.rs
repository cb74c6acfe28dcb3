//! Simulation: the only crate that names MuJoCo.
//!
//! MJCF text → [`compile()`] → `Arc<MjModel>` → [`Physics`] (one state) → readings, controllers, pictures.
//!
//! SI units, radians, world frame with z up, quaternions `[w, x, y, z]`.

pub mod arm;
pub mod compile;
pub mod controllers;
pub mod coupling;
pub mod divergence;
pub mod error;
pub mod ffi;
pub mod ik;
pub mod names;
pub mod needle;
pub mod physics;
pub mod placement;
pub mod psm;
pub mod readings;
#[cfg(feature = "render")]
pub mod render;
pub mod render_state;
pub mod robot_file;
pub mod rod_scene;
pub mod scene;
pub mod shell;
pub mod spatial;
pub mod verdict;
#[cfg(feature = "viewer")]
pub mod viewer;

mod applied_wrenches;
mod breathing;
mod co_simulation;
mod keyframes;
mod loader;
mod log_handler;
mod softness;
mod step_record;
mod visible_surfaces;

pub use arm::Arm;
pub use compile::compile;
pub use divergence::{Divergence, DivergenceReason};
pub use error::SimError;
pub use loader::set_library;
pub use physics::Physics;
pub use readings::Readings;
pub use scene::CompiledScene;
pub use spatial::{Pose, Twist, Wrench};
pub use visible_surfaces::{VisibleSurface, visible_surfaces};

/// The compiled, constant description of a scene, and MuJoCo's state of it.
pub use mujoco_rs::wrappers::{mj_data::MjData, mj_model::MjModel};

//! The models of a scene: robots, probes, torsos, arenas, and the MJCF that describes them.
//!
//! This crate holds pure data and text. It does not simulate or link MuJoCo.

pub mod arena;
mod error;
mod flange_tool;
pub mod mjcf;
pub mod patients;
pub mod probes;
pub mod robots;
pub mod scene;
mod scene_config;
pub mod shapes;
pub mod torsos;

pub use error::ModelError;
pub use flange_tool::FlangeTool;
pub use scene::Scene;
pub use scene_config::{Lattice, RobotChoice, SceneConfig, SoftnessChoice, TunedTorso};

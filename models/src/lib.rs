//! What exists in a scene: robots, probes, torsos, arenas, and the MJCF that describes them.
//!
//! Pure data and text: nothing here simulates or links MuJoCo.

pub mod arena;
mod error;
pub mod mjcf;
pub mod patients;
pub mod probes;
pub mod robots;
pub mod scene;
pub mod shapes;
pub mod torsos;

pub use error::ModelError;
pub use scene::Scene;

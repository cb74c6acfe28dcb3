//! What exists in a scene: robots, probes, torsos, arenas, and the MJCF that describes them.
//!
//! Pure data and text: nothing here simulates or links MuJoCo.

mod error;
pub mod mjcf;
pub mod torsos;

pub use error::ModelError;

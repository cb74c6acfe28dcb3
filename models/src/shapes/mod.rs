//! Smooth closed surfaces made by program, written into the document as meshes.
//!
//! * [`loft`]: superellipses stacked along z, joined by a skin: robot shells, probe housings.
//! * [`lathe`]: a profile turned about z: caps, tubes, sensors.
//! * [`MassProperties`]: mass, its centre and inertia of the enclosed solid.

mod lathe;
mod loft;
mod mass;
mod mjcf_mesh;

pub use lathe::{lathe, rounded_cylinder};
pub use loft::{Section, loft};
pub use mass::MassProperties;

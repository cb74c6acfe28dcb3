//! Procedural smooth closed surfaces, which are written into the document as meshes.
//!
//! * [`loft`]: a surface through superellipses stacked along z, for robot shells and probe housings.
//! * [`lathe`]: a surface of revolution about z, for caps, tubes and sensors.
//! * [`MassProperties`]: mass, centre of mass and inertia of the enclosed solid.

mod lathe;
mod loft;
mod mass;
mod mjcf_mesh;

pub use lathe::{lathe, rounded_cylinder};
pub use loft::{Section, loft};
pub use mass::MassProperties;

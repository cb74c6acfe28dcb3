//! Smooth closed surfaces made by program, written into the document as meshes.
//!
//! * [`loft`]: superellipses stacked along z, joined by a skin: robot shells, probe housings.
//! * [`lathe`]: a profile turned about z: caps, tubes, sensors.
//! * [`Surface`]: the vertices and triangles, with the mass properties of the enclosed solid.

mod lathe;
mod loft;
mod surface;

pub use lathe::{lathe, rounded_cylinder};
pub use loft::{Section, loft};
pub use surface::{Solid, Surface};

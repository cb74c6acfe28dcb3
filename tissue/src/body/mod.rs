//! Bodies of tissue, in one description for all solvers: a solid, its materials, what is held, and what it is tied to.

mod attachments;
mod description;
mod place;
mod presets;
mod sampling;
mod shapes;
mod solid;
mod solvers;

pub use attachments::attach;
pub use description::{Attachment, Layer, Region, TissueBody};
pub use place::Place;
pub use presets::{liver, slab, torso};
pub use sampling::{Particles, TetBody};
pub use solid::Solid;
pub use solvers::{mpm_scene, xpbd_scene};

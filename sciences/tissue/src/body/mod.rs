//! Bodies of tissue in one description for all solvers: solid, materials, fixed regions and attachments.

mod attachments;
mod description;
mod presets;
mod roi;
mod sampling;
mod shapes;
mod solid;
mod solvers;

pub use attachments::attach;
pub use description::{Attachment, Layer, Region, TissueBody};
pub use presets::{liver, slab, torso};
pub use roi::Roi;
pub use sampling::{ParticleBody, TetBody};
pub use solid::Solid;
pub use solvers::{mpm_scene, xpbd_scene};

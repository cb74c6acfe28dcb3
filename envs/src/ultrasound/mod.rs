//! What the probe sees: lines of ultrasound as entries of the observation.
//!
//! The patient's organs are those of `insonate-ultrasound`'s adult, deformed as the simulated torso is at each control step.

mod organ_surface;
mod patient;
mod raster;
mod scanner;
mod settings;
mod sight;

pub use organ_surface::{KnownSurfaces, OrganSurface, Survey};
pub use patient::Patient;
pub use raster::Raster;
pub use scanner::Scanner;
pub use settings::{Reading, UltrasoundSettings};
pub use sight::Sight;

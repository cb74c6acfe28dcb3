//! Ultrasound observations: scanlines as entries of the observation.
//!
//! The organs are those of the adult of `insonate-ultrasound`, deformed with the simulated torso at each control step.

mod frame_assessment;
mod organ_surface;
mod patient;
mod raster;
mod scanner;
mod settings;

pub use frame_assessment::FrameAssessment;
pub use organ_surface::{KnownSurfaces, OrganScan, OrganSurface};
pub use patient::Patient;
pub use raster::Raster;
pub use scanner::Scanner;
pub use settings::{Reading, UltrasoundSettings};

//! Ultrasound observations: scanlines as entries of the observation.
//!
//! The organs are those of the adult of `insonate-ultrasound`, deformed with the simulated torso at each control step.

mod controls;
mod coverage_map;
mod frame_assessment;
mod organ_surface;
mod patient;
mod picture_scanner;
mod raster;
mod raster_script;
mod scanner;
mod settings;
mod torso_view;

pub use controls::ScannerControls;
pub use coverage_map::{COLUMNS, CoverageMap, ROWS};
pub use frame_assessment::FrameAssessment;
pub use organ_surface::{KnownSurfaces, OrganScan, OrganSurface};
pub use patient::Patient;
pub use picture_scanner::{PictureScanner, PictureSettings};
pub use raster::Raster;
pub use raster_script::RasterScript;
pub use scanner::Scanner;
pub use settings::{Reading, UltrasoundSettings};
pub use torso_view::{TorsoAtRest, TorsoScene, TorsoView};

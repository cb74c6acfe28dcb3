//! What the probe sees: lines of ultrasound as entries of the observation.
//!
//! The patient's organs are those of `insonate-ultrasound`'s adult, deformed as the simulated torso is at each control step.

mod scanner;
mod settings;

pub use scanner::{Patient, Scanner};
pub use settings::{Reading, UltrasoundSettings};

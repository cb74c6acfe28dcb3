//! Simulated ultrasound of deformed tissue.
//!
//! Independent of robots and physics engines: the caller provides the pose of the probe and the deformation of the tissue.

pub mod b_mode;
pub mod beam;
mod controls;
pub mod deformation;
mod error;
pub mod material;
pub mod measure;
mod pack;
mod parallel;
mod patient_frame;
pub mod phantom;
pub mod sequence;
mod simd;
pub mod transducer;
pub mod volume;

#[cfg(feature = "gpu")]
pub use b_mode::GpuBMode;
pub use b_mode::{BMode, Filling, Frame, Settings, Shaft, View};
pub use controls::Controls;
pub use error::UltrasoundError;
pub use material::Material;
pub use patient_frame::ras_from_patient;

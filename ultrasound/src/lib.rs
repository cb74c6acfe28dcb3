//! Ultrasound pictures of tissue as it is deformed.
//!
//! Knows no robot and no physics engine: where the probe is and how the tissue is deformed come from outside.

pub mod beam;
mod error;
pub mod transducer;

pub use error::UltrasoundError;

//! What a policy sees: the picture of one camera as entries of the observation.
//!
//! An environment hands a state that is ready to be drawn to the factory's [`RenderThread`](crate::probe::RenderThread) and waits for the
//! pixels.

mod picture;
mod settings;

pub use picture::Camera;
pub use settings::{CameraSettings, PixelKind};

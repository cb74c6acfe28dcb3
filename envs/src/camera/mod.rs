//! Camera observations: the image of one camera as entries of the observation.
//!
//! An environment sends a state to the factory's [`RenderThread`](insonate_sim::render::RenderThread) and waits for the pixels.

mod picture;
mod settings;

pub use picture::Camera;
pub use settings::{CameraSettings, PixelKind};

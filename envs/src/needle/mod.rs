//! A needle in a breathing body of layers, for tasks: the body moves as a whole with the breath, and the hub stays in the world.
//!
//! World frame: the middle of the skin at the end of expiration is the origin, x points to the patient's left, y to the head, z out of the body.

mod body;
mod breath;

pub use body::{NeedleModel, NeedlePose, NeedleSceneSettings, NeedleState};
pub use breath::{Breath, BreathSettings};

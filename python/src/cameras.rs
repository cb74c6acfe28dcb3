//! The cameras of a scene, and the size of their images.

use insonate_sim::CompiledScene;
use insonate_sim::names::{self, ObjectType};
use insonate_sim::render::MAX_SIZE;

use crate::error::{Result, value_error};

/// Cameras in order of preference if no camera is named.
const PREFERRED: [&str; 3] = ["close", "side", "front"];

/// Whether a scene has any camera.
pub(crate) fn has_camera(scene: &CompiledScene) -> bool {
    let cameras = names::all(scene.visual_model(), ObjectType::Camera);
    cameras.into_iter().next().is_some()
}

/// The preferred camera of a scene.
pub(crate) fn preferred(scene: &CompiledScene) -> &str {
    let model = scene.visual_model();
    let has = |name: &&&str| names::try_find(model, ObjectType::Camera, name).is_some();
    let first = names::all(model, ObjectType::Camera).map(|(_, name)| name);
    // Looking up a missing camera returns the error that lists the available ones.
    let fallback = first.into_iter().next().unwrap_or(PREFERRED[0]);
    PREFERRED.iter().find(has).copied().unwrap_or(fallback)
}

/// Width or height of an image [pixels].
pub(crate) fn side(what: &str, value: i64) -> Result<u32> {
    let found = u32::try_from(value).ok();
    found
        .filter(|side| (1..=MAX_SIZE).contains(side))
        .ok_or_else(|| {
            value_error(format!(
                "{what} is {value}; it must be between 1 and {MAX_SIZE} pixels"
            ))
        })
}

//! Removal of joints from the keyframes of a scene.

use insonate_models::mjcf::Mjcf;

/// Removes entries of `qpos` and `qvel` from all keyframes.
pub(crate) fn remove_joints(scene: &mut Mjcf, qpos: &[usize], qvel: &[usize]) {
    if scene.section("keyframe").is_none() {
        return;
    }
    for key in scene.keyframe().children_mut() {
        for (attribute, addresses) in [("qpos", qpos), ("qvel", qvel)] {
            if let Some(values) = key.reals(attribute) {
                let entries = values.iter().enumerate();
                let kept: Vec<f64> = entries
                    .filter(|(index, _)| !addresses.contains(index))
                    .map(|(_, &value)| value)
                    .collect();
                key.set(attribute, kept);
            }
        }
    }
}

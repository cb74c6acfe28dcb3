//! Joints of a robot file's bodies.

use crate::mjcf::Element;

/// The joints of a body, including those in frames.
pub(super) fn joints_of(body: &Element) -> Vec<&Element> {
    let mut joints = Vec::new();
    for child in body.children() {
        match child.tag() {
            "joint" | "freejoint" => joints.push(child),
            "frame" => joints.extend(joints_of(child)),
            _ => {}
        }
    }
    joints
}

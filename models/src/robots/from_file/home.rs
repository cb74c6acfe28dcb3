//! The start pose of a robot.

use std::collections::BTreeMap;

use super::joints::joints_of;
use crate::mjcf::{Defaults, Element, Mjcf, Value, walk_world};

/// Positions of joints by name, from a keyframe; empty if there is no keyframe.
pub(super) type Keyframe = BTreeMap<String, Vec<f64>>;

/// Returns the positions of the keyframe `home`, or else of the first keyframe, per joint.
pub(super) fn keyframe(mjcf: &mut Mjcf, notes: &mut Vec<String>) -> Keyframe {
    let keys = mjcf.section("keyframe").map_or(&[][..], Element::children);
    let with_pose = || keys.iter().filter(|key| key.get("qpos").is_some());
    let home = with_pose().find(|key| key.name() == Some("home"));
    let Some(key) = home.or_else(|| with_pose().next()) else {
        return Keyframe::new();
    };
    let label = key.label();
    let mut rest = key.reals("qpos").unwrap_or_default();
    let mut keyframe = Keyframe::new();
    for joint in mjcf.section("worldbody").map_or(Vec::new(), joints_below) {
        let (name, width) = (joint.name().unwrap_or_default(), n_qpos(joint));
        let Some((position, after)) = rest.split_at_checked(width) else {
            notes.push(format!("{label}: has too few positions and is not used"));
            return Keyframe::new();
        };
        keyframe.insert(name.to_owned(), position.to_vec());
        rest = after;
    }
    if !rest.is_empty() {
        notes.push(format!("{label}: has too many positions and is not used"));
        return Keyframe::new();
    }
    keyframe
}

/// Names and positions of all joints in the order of the document: from the keyframe, or else from `arm`, or else the middle of
/// each range.
pub(super) fn positions(
    mjcf: &mut Mjcf,
    defaults: &Defaults,
    keyframe: &Keyframe,
    arm: &Keyframe,
) -> Vec<(String, f64)> {
    let mut middles = Keyframe::new();
    walk_world(mjcf, &mut |element, class| {
        if let ("joint", Some(name)) = (element.tag(), element.name()) {
            middles.insert(name.to_owned(), middle(defaults, element, class));
        }
    });
    let joints = mjcf.section("worldbody").map_or(Vec::new(), joints_below);
    joints
        .into_iter()
        .filter_map(Element::name)
        .filter_map(|name| {
            let known = keyframe.get(name).or_else(|| arm.get(name));
            Some((name, known.or_else(|| middles.get(name))?))
        })
        .flat_map(|(name, positions)| {
            positions
                .iter()
                .map(|&position| (name.to_owned(), position))
        })
        .collect()
}

/// The middle of a joint's range, or its reference position if it has no range.
fn middle(defaults: &Defaults, joint: &Element, class: &str) -> Vec<f64> {
    if joint.text("type") == Some("ball") {
        return vec![1.0, 0.0, 0.0, 0.0];
    }
    let middle = limits(defaults, joint, class).map(|[low, high]| f64::midpoint(low, high));
    vec![middle.unwrap_or_else(|| reference(defaults, joint, class))]
}

/// The range of a hinge or slide [rad or m]; `None` if it has no limits.
pub(super) fn limits(defaults: &Defaults, joint: &Element, class: &str) -> Option<[f64; 2]> {
    let value = |attribute: &str| defaults.effective(joint, class, &["joint"], attribute);
    if value("limited").and_then(Value::as_text) == Some("false") {
        return None;
    }
    let range: [f64; 2] = value("range")?.as_reals()?.try_into().ok()?;
    (range[0] < range[1]).then_some(range)
}

/// Position of a joint in the pose of the document.
pub(super) fn reference(defaults: &Defaults, joint: &Element, class: &str) -> f64 {
    let value = defaults.effective(joint, class, &["joint"], "ref");
    value
        .and_then(Value::as_reals)
        .map_or(0.0, |reals| reals[0])
}

/// Joints in MuJoCo's order: bodies depth first, the joints of a body before the joints of its children.
fn joints_below(parent: &Element) -> Vec<&Element> {
    fn bodies_below<'a>(parent: &'a Element, joints: &mut Vec<&'a Element>) {
        for child in parent.children() {
            if child.tag() == "body" {
                joints.extend(joints_of(child));
            }
            if matches!(child.tag(), "body" | "frame") {
                bodies_below(child, joints);
            }
        }
    }
    let mut joints = Vec::new();
    bodies_below(parent, &mut joints);
    joints
}

fn n_qpos(joint: &Element) -> usize {
    match (joint.tag(), joint.text("type")) {
        ("freejoint", _) | (_, Some("free")) => 7,
        (_, Some("ball")) => 4,
        _ => 1,
    }
}

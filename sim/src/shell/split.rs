//! MJCF with a shell → MJCF without it.

use insonate_models::mjcf::{Element, Geom, Mjcf, Namespace};
use insonate_models::torsos::SHELL_SOLVER;
use insonate_models::torsos::tissue::SOLVER;

use super::ShellModel;
use crate::keyframes::remove_joints;

/// Custom text of a shell whose capsules are pressed inwards by geoms into which they have sunk, below the torso's prefix.
const DEEP_CONTACT: &str = "torso_deep_contact";

/// Geom that takes the place of each capsule in turn in distance queries.
const SLOT: &str = "slot";

/// A bit that no geom of a scene accepts, so the slot collides with nothing; with no bit it would be a visual geom.
const SLOT_TYPE: i32 = 1 << 30;

/// The prefix of the torso that requests the fast solver, such as `torso/`.
pub fn fast_torso(scene: &Mjcf) -> Option<String> {
    let name = scene.names(Namespace::Text).into_iter().find(|name| {
        name.ends_with(SOLVER)
            && scene
                .find(Namespace::Text, name)
                .and_then(|text| text.text("data"))
                == Some(SHELL_SOLVER)
    })?;
    Some(name.trim_end_matches(SOLVER).to_owned())
}

/// Name of the custom text that requests inward deep contact.
pub(super) fn deep_contact_name(prefix: &str) -> String {
    format!("{prefix}{DEEP_CONTACT}")
}

/// Name of the slot geom of a torso.
pub(super) fn slot_name(prefix: &str) -> String {
    format!("{prefix}{SLOT}")
}

/// Removes the shell from a scene: its bodies, skins, tendons and equalities, and its entries in the keyframes.
pub fn without_shell(scene: &Mjcf, prefix: &str, shell: &ShellModel) -> Mjcf {
    let mut rest = scene.clone();
    let ours = |element: &Element, attribute: &str| {
        element
            .text(attribute)
            .is_some_and(|name| name.starts_with(prefix))
    };
    let has_joint = |element: &Element| {
        element.tag() == "body"
            && element
                .child("joint")
                .is_some_and(|joint| ours(joint, "name"))
    };
    rest.worldbody().remove_where(&has_joint);
    for section in ["asset", "deformable"] {
        if rest.section(section).is_some() {
            rest.section_mut(section)
                .remove_where(&|element| element.tag() == "skin" && ours(element, "name"));
        }
    }
    if rest.section("equality").is_some() {
        rest.equality()
            .remove_where(&|element| ours(element, "joint1") || ours(element, "tendon1"));
    }
    if rest.section("tendon").is_some() {
        rest.tendon()
            .remove_where(&|element| element.children().iter().any(|term| ours(term, "joint")));
    }
    if rest.section("sensor").is_some() {
        let of_shell = |element: &Element| {
            ["joint", "tendon", "objname", "body"]
                .iter()
                .any(|attribute| {
                    ours(element, attribute)
                        && !rest_has(scene, element.text(attribute).unwrap_or_default(), prefix)
                })
        };
        rest.sensor().remove_where(&of_shell);
    }
    remove_joints(&mut rest, &shell.qpos_address, &shell.dof_address);
    make_movable(rest.worldbody(), prefix);
    let [radius, half_length] = shell.capsule;
    let slot = Geom::capsule([radius, half_length])
        .name(&slot_name(prefix))
        .mass(0.0)
        .contype(SLOT_TYPE)
        .conaffinity(0)
        .group(5)
        .rgba([0.0; 4]);
    rest.worldbody().add(slot);
    rest
}

/// Whether a named part of the torso stays without the shell: only its root does.
fn rest_has(scene: &Mjcf, name: &str, prefix: &str) -> bool {
    name == format!("{prefix}torso") && scene.find(Namespace::Body, name).is_some()
}

/// Makes the remaining part of the torso a mocap body, so that it follows when the shell is moved. MuJoCo allows this only for children
/// of the world.
fn make_movable(world: &mut Element, prefix: &str) {
    for child in world.children_mut() {
        let ours = child.name().is_some_and(|name| name.starts_with(prefix));
        match child.tag() {
            "frame" => make_movable(child, prefix),
            "body" if ours => {
                child.set("mocap", "true");
            }
            _ => {}
        }
    }
}

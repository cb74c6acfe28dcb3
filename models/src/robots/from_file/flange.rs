//! The tree with the flange, and the joints that move it.

use super::joints::joints_of;
use crate::mjcf::{Defaults, Element, Mjcf, MjcfError, Namespace, list_names, walk_world};

/// Indices of children, from the world to the flange.
pub(super) type TreePath = Vec<usize>;

/// Removes everything except the tree with the flange.
pub(super) fn keep_tree_of(
    mjcf: &mut Mjcf,
    flange: &str,
    notes: &mut Vec<String>,
) -> Result<(), MjcfError> {
    let index = path_to_flange(mjcf, flange)?[0];
    let tree = &mjcf.worldbody().children()[index];
    if tree.tag() == "site" {
        return Err(MjcfError::Unsupported {
            element: tree.label(),
            problem: "it is fixed to the world; the flange must be on the robot".to_owned(),
        });
    }
    super::base::keep_tree(mjcf, index, notes);
    Ok(())
}

/// The path from the world to the flange.
///
/// The same name may occur in several namespaces. Bodies take precedence, as in [`Mjcf::attach`].
pub(super) fn path_to_flange(mjcf: &Mjcf, flange: &str) -> Result<TreePath, MjcfError> {
    let path = mjcf.section("worldbody").and_then(|world| {
        ["body", "frame", "site"]
            .iter()
            .find_map(|tag| path_to(world, tag, flange))
    });
    path.ok_or_else(|| unknown(mjcf, flange))
}

fn path_to(parent: &Element, tag: &str, name: &str) -> Option<TreePath> {
    parent
        .children()
        .iter()
        .enumerate()
        .find_map(|(index, child)| {
            if child.tag() == tag && child.name() == Some(name) {
                return Some(vec![index]);
            }
            let mut path = path_to(child, tag, name)?;
            path.insert(0, index);
            Some(path)
        })
}

fn unknown(mjcf: &Mjcf, flange: &str) -> MjcfError {
    let bodies = list_names("; the bodies are", &mjcf.names(Namespace::Body));
    let sites = mjcf.names(Namespace::Site);
    let sites = if sites.is_empty() {
        String::new()
    } else {
        list_names("; the sites are", &sites)
    };
    MjcfError::UnknownFrame {
        name: flange.to_owned(),
        hint: format!("{bodies}{sites}"),
    }
}

/// Writes the pose that the flange's site inherits from its class on the site.
pub(super) fn spell_out_site(mjcf: &mut Mjcf, defaults: &Defaults, flange: &str) {
    walk_world(mjcf, &mut |element, class| {
        if element.tag() != "site" || element.name() != Some(flange) {
            return;
        }
        let turned = ["quat", "xyaxes", "zaxis"]
            .iter()
            .any(|attribute| element.get(attribute).is_some());
        for attribute in ["pos", "quat"] {
            if attribute == "quat" && turned {
                continue;
            }
            let value = defaults
                .effective(element, class, &["site"], attribute)
                .cloned();
            if let Some(value) = value {
                element.set(attribute, value);
            }
        }
    });
}

/// The joints of the bodies on a path, from the base outwards.
pub(super) fn joints_on(mjcf: &Mjcf, path: &[usize]) -> Vec<Element> {
    let mut joints = Vec::new();
    let Some(mut element) = mjcf.section("worldbody") else {
        return joints;
    };
    for &index in path {
        element = &element.children()[index];
        if element.tag() == "body" {
            joints.extend(joints_of(element).into_iter().cloned());
        }
    }
    joints
}

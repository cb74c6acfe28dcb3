//! Grippers and tools: bodies that the last link carries next to the flange.

use super::flange::TreePath;
use super::joints::joints_of;
use crate::mjcf::{Element, Mjcf};

/// The outermost bodies with shapes below the last moving link, except those on the path to the flange.
///
/// `path` leads from the world to the flange.
pub(super) fn tools(mjcf: &Mjcf, path: &[usize]) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((link, rest)) = last_link(mjcf, path) {
        collect(link, rest, &mut |body| found.push(body.label()));
    }
    found
}

/// Removes the tools.
pub(super) fn remove_tools(mjcf: &mut Mjcf, path: &TreePath) {
    let Some((_, rest)) = last_link(mjcf, path) else {
        return;
    };
    let (above, rest) = (path.len() - rest.len(), rest.to_vec());
    let mut link = mjcf.worldbody();
    for &index in &path[..above] {
        link = &mut link.children_mut()[index];
    }
    remove(link, &rest);
}

/// The last body on the path that has a joint, and the path from there to the flange.
fn last_link<'a, 'b>(mjcf: &'a Mjcf, path: &'b [usize]) -> Option<(&'a Element, &'b [usize])> {
    let mut element = mjcf.section("worldbody")?;
    let mut last = None;
    for (depth, &index) in path.iter().enumerate() {
        element = &element.children()[index];
        if element.tag() == "body" && !joints_of(element).is_empty() {
            last = Some((element, &path[depth + 1..]));
        }
    }
    last
}

fn collect<'a>(holder: &'a Element, path: &[usize], visit: &mut impl FnMut(&'a Element)) {
    for (index, child) in holder.children().iter().enumerate() {
        match on_path(path, index) {
            Some(rest) => collect(child, rest, visit),
            None if is_tool(child) => visit(child),
            None if child.tag() == "frame" => collect(child, &[], visit),
            None => {}
        }
    }
}

fn remove(holder: &mut Element, path: &[usize]) {
    for (index, child) in holder.children_mut().iter_mut().enumerate() {
        match on_path(path, index) {
            Some(rest) => remove(child, rest),
            None if child.tag() == "frame" => remove(child, &[]),
            None => {}
        }
    }
    let mut index = 0;
    holder.children_mut().retain(|child| {
        let is_kept = on_path(path, index).is_some() || !is_tool(child);
        index += 1;
        is_kept
    });
}

/// The rest of a path whose first element is the child `index`; `None` if the path goes through another child.
fn on_path(path: &[usize], index: usize) -> Option<&[usize]> {
    let (&next, rest) = path.split_first()?;
    (next == index).then_some(rest)
}

fn is_tool(element: &Element) -> bool {
    element.tag() == "body" && element.descendants().iter().any(|it| it.tag() == "geom")
}

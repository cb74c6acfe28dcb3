//! The base: the fixed part below the first joint.

use std::collections::BTreeSet;

use super::joints::joints_of;
use super::notes::list;
use crate::mjcf::{Element, Mjcf, Namespace, walk_world};

/// Shapes of the world belong to the base if their horizontal distance to the first joint is at most this [m] ...
const NEAR: f64 = 0.3;
/// ... and, for primitives, if their sizes are at most this [m].
const MOST_SIZE: f64 = 0.5;

/// Keeps only the child of the world that carries the flange, and the base if MuJoCo has merged it into the world.
///
/// `index` is the index of this child. If its top body moves, the base has no body of its own, as in every URDF of a fixed arm that
/// MuJoCo converts. Then the shapes of the world near the first joint are kept as the body `base`.
pub(super) fn keep_tree(mjcf: &mut Mjcf, index: usize, notes: &mut Vec<String>) {
    let name = free_name(mjcf, "base");
    let world = mjcf.worldbody();
    let mut tree = world.children_mut().remove(index);
    let mut others = std::mem::take(world.children_mut());
    if let Some(place) = place_of_first_joint(&tree) {
        let mut base = Element::new("body").with_attribute("name", name);
        let shapes = shapes_near(&mut others, place);
        if shapes.is_empty() {
            unplace_frames(&mut tree, notes);
        } else {
            let names: Vec<String> = shapes.iter().map(Element::label).collect();
            notes.push(format!(
                "shapes of the world that belong to the robot's base: {}",
                list(&names)
            ));
        }
        base.children_mut().extend(shapes);
        base.children_mut().push(tree);
        tree = base;
    }
    let left_out: Vec<String> = others
        .iter()
        .filter(|child| child.tag() == "body" || is_solid(child))
        .map(Element::label)
        .collect();
    if !left_out.is_empty() {
        notes.push(format!("not part of the robot: {}", list(&left_out)));
    }
    *mjcf.worldbody().children_mut() = vec![tree];
}

/// Horizontal position of the top body of a tree; `None` if the body has no joint of the arm.
fn place_of_first_joint(tree: &Element) -> Option<[f64; 2]> {
    let [x, y, _] = tree.array::<3>("pos").unwrap_or_default();
    if tree.tag() == "frame" {
        let inner = tree.children().iter().find_map(place_of_first_joint)?;
        return Some([x + inner[0], y + inner[1]]);
    }
    (tree.tag() == "body" && joints_of(tree).into_iter().any(|joint| !is_free(joint)))
        .then_some([x, y])
}

/// Removes the shapes near a position from `children` and returns them.
fn shapes_near(children: &mut Vec<Element>, place: [f64; 2]) -> Vec<Element> {
    children
        .extract_if(.., |child| is_solid(child) && stands_near(child, place))
        .collect()
}

/// Moves frames around the top body to the mount. Their content keeps its pose in them.
fn unplace_frames(tree: &mut Element, notes: &mut Vec<String>) {
    if tree.tag() != "frame" {
        return;
    }
    note_move(tree, notes);
    tree.unset("pos");
    for child in tree.children_mut() {
        unplace_frames(child, notes);
    }
}

fn note_move(tree: &Element, notes: &mut Vec<String>) {
    if let Some(position) = tree.array::<3>("pos")
        && position != [0.0; 3]
    {
        notes.push(format!(
            "{}: moved from {position:?} to the robot's mount",
            tree.label()
        ));
    }
}

fn is_solid(element: &Element) -> bool {
    element.tag() == "geom" && !matches!(element.text("type"), Some("plane" | "hfield"))
}

fn stands_near(geom: &Element, place: [f64; 2]) -> bool {
    let is_small = geom.text("type") == Some("mesh")
        || geom
            .reals("size")
            .is_none_or(|size| size.iter().all(|&half| half <= MOST_SIZE));
    let [x, y] = if let Some([x, y, _, to_x, to_y, _]) = geom.array::<6>("fromto") {
        [f64::midpoint(x, to_x), f64::midpoint(y, to_y)]
    } else {
        let [x, y, _] = geom.array::<3>("pos").unwrap_or_default();
        [x, y]
    };
    is_small && (x - place[0]).hypot(y - place[1]) <= NEAR
}

/// Moves the base to the origin and fixes it there.
pub(super) fn settle(mjcf: &mut Mjcf, notes: &mut Vec<String>) {
    let mut holder = mjcf.worldbody();
    while let Some(tree) = holder
        .children_mut()
        .iter_mut()
        .find(|child| matches!(child.tag(), "body" | "frame"))
    {
        note_move(tree, notes);
        tree.unset("pos");
        tree.unset("mocap");
        if tree.tag() == "body" {
            let before = tree.children().len();
            tree.children_mut()
                .retain(|child| child.tag() != "freejoint" && !is_free(child));
            if tree.children().len() < before {
                notes.push(format!(
                    "{}: the free base is fixed to the mount",
                    tree.label()
                ));
            }
            return;
        }
        holder = tree;
    }
}

fn is_free(joint: &Element) -> bool {
    joint.tag() == "freejoint" || (joint.tag() == "joint" && joint.text("type") == Some("free"))
}

/// Excludes contacts between the base and the links that its joints carry.
///
/// MuJoCo filters contacts between parent and child, except if the parent is fixed to the world. This exception is useful for floors and
/// tables, but it would let the convex hulls of a base and its first link collide, also if the base was free in the file.
pub(super) fn spare_neighbours(mjcf: &mut Mjcf) {
    name_bodies(mjcf);
    let mut base = Vec::new();
    let mut links = Vec::new();
    if let Some(world) = mjcf.section("worldbody") {
        rigid_group(world, &mut base, &mut links);
    }
    let carried: Vec<String> = links
        .into_iter()
        .flat_map(|link| {
            let mut group = vec![name_of(link)];
            rigid_group(link, &mut group, &mut Vec::new());
            group
        })
        .collect();
    let known = excluded_pairs(mjcf);
    for fixed in &base {
        for moved in &carried {
            if known.contains(&[fixed.clone(), moved.clone()]) {
                continue;
            }
            let pair = Element::new("exclude")
                .with_attribute("body1", fixed.as_str())
                .with_attribute("body2", moved.as_str());
            mjcf.section_mut("contact").add(pair);
        }
    }
}

/// Pairs of bodies whose contacts are excluded in the file, in both orders.
fn excluded_pairs(mjcf: &Mjcf) -> BTreeSet<[String; 2]> {
    let contacts = mjcf.section("contact").map_or(&[][..], Element::children);
    let excludes = contacts.iter().filter(|pair| pair.tag() == "exclude");
    let body = |pair: &Element, side: &str| pair.text(side).unwrap_or_default().to_owned();
    excludes
        .flat_map(|pair| {
            let [a, b] = ["body1", "body2"].map(|side| body(pair, side));
            [[a.clone(), b.clone()], [b, a]]
        })
        .collect()
}

/// Adds the bodies that are fixed to `holder` to `group`, and the bodies that are attached to them by joints to `links`.
fn rigid_group<'a>(holder: &'a Element, group: &mut Vec<String>, links: &mut Vec<&'a Element>) {
    for child in holder.children() {
        match child.tag() {
            "frame" => rigid_group(child, group, links),
            "body" if joints_of(child).is_empty() => {
                group.push(name_of(child));
                rigid_group(child, group, links);
            }
            "body" => links.push(child),
            _ => {}
        }
    }
}

fn name_of(body: &Element) -> String {
    body.name().unwrap_or_default().to_owned()
}

/// Gives every body a name.
fn name_bodies(mjcf: &mut Mjcf) {
    let taken = body_names(mjcf);
    let mut names = (1..)
        .map(|index| format!("body_{index}"))
        .filter(|name| !taken.contains(name));
    walk_world(mjcf, &mut |element, _| {
        if element.tag() == "body"
            && element.name().is_none()
            && let Some(name) = names.next()
        {
            element.set("name", name);
        }
    });
}

fn body_names(mjcf: &Mjcf) -> BTreeSet<String> {
    let names = mjcf.names(Namespace::Body).into_iter();
    names.map(str::to_owned).collect()
}

/// Returns `name`, or `name_2`, `name_3`, ... if a body already has the name.
fn free_name(mjcf: &Mjcf, name: &str) -> String {
    let taken = body_names(mjcf);
    let mut free = name.to_owned();
    let mut number = 1;
    while taken.contains(&free) {
        number += 1;
        free = format!("{name}_{number}");
    }
    free
}

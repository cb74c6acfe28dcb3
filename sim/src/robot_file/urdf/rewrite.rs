//! Preparation of a URDF for MuJoCo's reader.

use std::path::Path;

use quick_xml::Writer;

use super::links::Links;
use super::meshes::{self, Meshes};
use super::node::Node;
use crate::robot_file::RobotFileError;

/// Largest URDF file [bytes].
const MOST_BYTES: u64 = 32 << 20;

/// The link to which the base is fixed, so that MuJoCo does not merge the base with the world.
const WORLD: &str = "world";

pub(super) struct Rewritten {
    pub(super) xml: String,
    pub(super) links: Links,
    pub(super) notes: Vec<String>,
}

/// The text of a URDF file without xacro.
pub(super) fn read(path: &Path) -> Result<String, RobotFileError> {
    let size = std::fs::metadata(path)
        .map_err(|error| RobotFileError::refused(path, "file", error))?
        .len();
    if size > MOST_BYTES {
        return Err(RobotFileError::refused(
            path,
            "file",
            format!("the file has {size} bytes; it must have at most {MOST_BYTES} bytes"),
        ));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| RobotFileError::refused(path, "file", error))?;
    let ends_in_xacro = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("xacro"));
    if ends_in_xacro || text.contains("<xacro:") {
        let problem = format!(
            "xacro is not run; convert it first: xacro {} > robot.urdf",
            path.display()
        );
        return Err(RobotFileError::refused(path, "xacro", problem));
    }
    Ok(text)
}

pub(super) fn rewrite(
    path: &Path,
    text: &str,
    meshes: &mut Meshes,
) -> Result<Rewritten, RobotFileError> {
    let mut robot = Node::parse(path, text)?;
    let links = Links::of(path, &robot)?;
    let mut notes = Vec::new();
    robot
        .children
        .retain(|child| matches!(child.tag.as_str(), "link" | "joint" | "material"));
    for link in robot
        .children
        .iter_mut()
        .filter(|child| child.tag == "link")
    {
        let name = link.label();
        let before = link.children.len();
        link.children
            .retain(|child| child.tag != "visual" || mesh_name(child).is_none_or(meshes::is_read));
        if link.children.len() < before {
            notes.push(format!(
                "{name}: visual meshes that are neither .stl nor .obj are left out"
            ));
        }
        stage(&name, link, meshes)?;
    }
    for joint in robot
        .children
        .iter_mut()
        .filter(|child| child.tag == "joint" && child.get("type") == Some("continuous"))
    {
        free_ends(joint);
    }
    if links.base() != WORLD {
        fix_base(&mut robot, links.base());
    }
    let mut mujoco = Node::new("mujoco", &[]);
    mujoco.children.push(Node::new(
        "compiler",
        &[
            ("fusestatic", "false"),
            ("discardvisual", "false"),
            ("strippath", "false"),
        ],
    ));
    robot.children.insert(0, mujoco);
    let mut writer = Writer::new(Vec::new());
    robot
        .write(&mut writer)
        .map_err(|error| RobotFileError::refused(path, "xml", error))?;
    let xml = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    Ok(Rewritten { xml, links, notes })
}

/// Removes the limits of a continuous joint, which URDF ignores and MuJoCo would keep.
fn free_ends(joint: &mut Node) {
    for limit in joint.children.iter_mut().filter(|it| it.tag == "limit") {
        let is_end = |name: &str| matches!(name, "lower" | "upper");
        limit.attributes.retain(|(name, _)| !is_end(name));
    }
}

fn mesh_name(shape: &Node) -> Option<&str> {
    shape.child("geometry")?.child("mesh")?.get("filename")
}

/// Replaces the file names of all meshes below `node` by their staged copies.
fn stage(link: &str, node: &mut Node, meshes: &mut Meshes) -> Result<(), RobotFileError> {
    for child in &mut node.children {
        if child.tag == "mesh" {
            for (_, value) in child
                .attributes
                .iter_mut()
                .filter(|(name, _)| name == "filename")
            {
                *value = meshes.stage(link, value)?.display().to_string();
            }
        }
        stage(link, child, meshes)?;
    }
    Ok(())
}

fn fix_base(robot: &mut Node, base: &str) {
    let mut joint = Node::new("joint", &[("name", "world_to_base"), ("type", "fixed")]);
    joint.children.push(Node::new("parent", &[("link", WORLD)]));
    joint.children.push(Node::new("child", &[("link", base)]));
    robot
        .children
        .insert(0, Node::new("link", &[("name", WORLD)]));
    robot.children.push(joint);
}

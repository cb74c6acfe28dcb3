//! Links and joints of a URDF: checks, and notes to the user.

use std::collections::BTreeSet;
use std::path::Path;

use super::node::Node;
use crate::robot_file::RobotFileError;

/// One joint.
struct Joint {
    name: String,
    kind: String,
    parent: String,
    child: String,
    lower: f64,
    upper: f64,
    effort: f64,
    mimics: Option<String>,
}

pub(super) struct Links {
    names: Vec<String>,
    joints: Vec<Joint>,
    base: String,
}

impl Links {
    pub(super) fn of(path: &Path, robot: &Node) -> Result<Self, RobotFileError> {
        let mut names = Vec::new();
        for link in robot.children.iter().filter(|child| child.tag == "link") {
            let name = required(path, link, "link", "name")?;
            if names.contains(&name) {
                return Err(RobotFileError::refused(
                    path,
                    link.label(),
                    "two links have this name",
                ));
            }
            names.push(name);
        }
        let nodes = robot.children.iter().filter(|child| child.tag == "joint");
        let joints: Vec<Joint> = nodes
            .map(|node| joint(path, node, &names))
            .collect::<Result<_, _>>()?;
        let mut children = BTreeSet::new();
        if let Some(twice) = joints.iter().find(|joint| !children.insert(&joint.child)) {
            let problem = format!("link {:?} is the child of two joints", twice.child);
            return Err(RobotFileError::refused(
                path,
                format!("joint {:?}", twice.name),
                problem,
            ));
        }
        let bases: Vec<&String> = names
            .iter()
            .filter(|name| !children.contains(name))
            .collect();
        let [base] = bases.as_slice() else {
            let problem = format!(
                "exactly one link must be the base (not the child of a joint); found: {bases:?}"
            );
            return Err(RobotFileError::refused(path, "robot", problem));
        };
        let base = (*base).clone();
        Ok(Self {
            names,
            joints,
            base,
        })
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Fails unless `flange` is a link and no joint between the base and it mimics another joint.
    pub(super) fn check_flange(&self, path: &Path, flange: &str) -> Result<(), RobotFileError> {
        if !self.names.iter().any(|name| name == flange) {
            let problem = format!(
                "there is no link {flange:?}; links: {}",
                self.names.join(", ")
            );
            return Err(RobotFileError::refused(path, "flange", problem));
        }
        let mut link = flange;
        for _ in 0..self.joints.len() {
            let Some(joint) = self.joints.iter().find(|joint| joint.child == link) else {
                break;
            };
            if let Some(other) = &joint.mimics {
                let problem = format!(
                    "it mimics {other:?}; a joint between the base and the flange must have its own motor"
                );
                return Err(RobotFileError::refused(
                    path,
                    format!("joint {:?}: mimic", joint.name),
                    problem,
                ));
            }
            link = &joint.parent;
        }
        Ok(())
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let moving = self.joints.iter().filter(|joint| joint.kind != "fixed");
        let mut notes: Vec<String> = moving.map(Joint::note).collect();
        notes.push("collisions: all <collision> shapes collide, except those of links that a joint connects".to_owned());
        notes
    }
}

impl Joint {
    fn note(&self) -> String {
        let range = match self.kind.as_str() {
            "continuous" => "no limits".to_owned(),
            "prismatic" => format!("{} to {} m", self.lower, self.upper),
            _ => format!("{} to {} rad", self.lower, self.upper),
        };
        let unit = if self.kind == "prismatic" {
            "N"
        } else {
            "N·m"
        };
        let effort = if self.effort > 0.0 {
            format!("effort {} {unit}", self.effort)
        } else {
            format!("no effort in the file: 100 {unit} are assumed")
        };
        let mimic = self
            .mimics
            .as_ref()
            .map(|other| format!("; it does not follow {other:?}"));
        format!(
            "joint {:?}: {range}, {effort}{}",
            self.name,
            mimic.unwrap_or_default()
        )
    }
}

fn joint(path: &Path, node: &Node, links: &[String]) -> Result<Joint, RobotFileError> {
    let name = required(path, node, "joint", "name")?;
    let label = node.label();
    let kind = required(path, node, &label, "type")?;
    if !matches!(
        kind.as_str(),
        "revolute" | "continuous" | "prismatic" | "fixed"
    ) {
        let problem =
            format!("type {kind:?} is not read; use revolute, continuous, prismatic or fixed");
        return Err(RobotFileError::refused(path, label, problem));
    }
    let end = |tag: &str| {
        let link = node
            .child(tag)
            .and_then(|child| child.get("link"))
            .unwrap_or_default();
        if links.iter().any(|name| name == link) {
            Ok(link.to_owned())
        } else {
            Err(RobotFileError::refused(
                path,
                format!("{label}: {tag}"),
                format!("there is no link {link:?}"),
            ))
        }
    };
    let limit = node.child("limit");
    if limit.is_none() && matches!(kind.as_str(), "revolute" | "prismatic") {
        return Err(RobotFileError::refused(
            path,
            format!("{label}: limit"),
            format!("a {kind} joint needs <limit lower upper effort>"),
        ));
    }
    let number = |field: &str| match limit.and_then(|limit| limit.get(field)) {
        None => Ok(0.0),
        Some(text) => match text.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(RobotFileError::refused(
                path,
                format!("{label}: limit {field}"),
                format!("{text:?} is not a finite number"),
            )),
        },
    };
    let joint = Joint {
        parent: end("parent")?,
        child: end("child")?,
        lower: number("lower")?,
        upper: number("upper")?,
        effort: number("effort")?,
        mimics: node
            .child("mimic")
            .map(|mimic| mimic.get("joint").unwrap_or_default().to_owned()),
        name,
        kind,
    };
    if joint.kind != "continuous" && joint.lower > joint.upper {
        let problem = format!("lower {} lies above upper {}", joint.lower, joint.upper);
        return Err(RobotFileError::refused(
            path,
            format!("{label}: limit"),
            problem,
        ));
    }
    Ok(joint)
}

fn required(path: &Path, node: &Node, label: &str, field: &str) -> Result<String, RobotFileError> {
    match node.get(field) {
        Some(value) if !value.is_empty() => Ok(value.to_owned()),
        _ => Err(RobotFileError::refused(
            path,
            label,
            format!("attribute {field} is missing"),
        )),
    }
}

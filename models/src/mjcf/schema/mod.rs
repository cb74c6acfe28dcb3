//! The elements and attributes of MJCF, and the kinds of their values.
//!
//! `mjcf.txt` is the output of `mj_printSchema` of MuJoCo 3.17.0, unchanged (a test of `insonate-sim` compares it with the linked
//! library). The kinds of the values are in [`kinds`].
//! `frame` and `replicate` are added here, because MuJoCo expands them before it applies its schema.

mod kinds;
mod namespace;

use std::sync::LazyLock;

pub use kinds::{AttributeKind, kind_of};
pub use namespace::{Namespace, namespace_of};

/// The schema as printed by MuJoCo.
pub const PRINTED: &str = include_str!("mjcf.txt");

/// An index into the schema's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(usize);

/// Attributes and children of an element.
#[derive(Clone, Debug)]
pub struct Node {
    tag: &'static str,
    /// Whether a parent may contain the element only once.
    pub unique: bool,
    attributes: Vec<&'static str>,
    children: Vec<(&'static str, NodeId)>,
}

impl Node {
    /// Whether the element has this attribute.
    pub fn has_attribute(&self, attribute: &str) -> bool {
        self.attributes.contains(&attribute)
    }

    /// The element's attributes.
    pub fn attributes(&self) -> &[&'static str] {
        &self.attributes
    }

    /// The attribute's name as a static string.
    pub fn attribute(&self, attribute: &str) -> Option<&'static str> {
        self.attributes
            .iter()
            .copied()
            .find(|name| *name == attribute)
    }

    /// The schema of a child element.
    pub fn child(&self, tag: &str) -> Option<NodeId> {
        self.children
            .iter()
            .find(|(name, _)| *name == tag)
            .map(|&(_, id)| id)
    }

    /// The element's tag.
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// The tags of allowed children.
    pub fn child_tags(&self) -> impl Iterator<Item = &'static str> {
        self.children.iter().map(|&(tag, _)| tag)
    }
}

/// The whole schema.
#[derive(Debug)]
pub struct Schema {
    nodes: Vec<Node>,
}

impl Schema {
    /// The schema of MuJoCo 3.17.0.
    pub fn get() -> &'static Self {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse(PRINTED));
        &SCHEMA
    }

    /// The schema of the `mujoco` element.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The schema of an element.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    fn parse(printed: &'static str) -> Self {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<NodeId> = Vec::new(); // indexed by depth
        for line in printed.lines() {
            let Some((head, attributes)) = split_line(line) else {
                continue;
            };
            if let Some((depth, tag, mark)) = head {
                let id = NodeId(nodes.len());
                nodes.push(Node {
                    tag,
                    unique: mark == "?",
                    attributes: Vec::new(),
                    children: Vec::new(),
                });
                open.truncate(depth);
                if let Some(&NodeId(parent)) = open.last() {
                    nodes[parent].children.push((tag, id));
                    if mark == "R" {
                        nodes[id.0].children.push((tag, id)); // recursive elements: default, body
                    }
                }
                open.push(id);
            }
            let &NodeId(current) = open.last().expect("the first line opens <mujoco>");
            nodes[current].attributes.extend(attributes);
        }
        let mut schema = Self { nodes };
        schema.add_world_body();
        schema.add_macros();
        schema
    }

    fn add(
        &mut self,
        tag: &'static str,
        attributes: Vec<&'static str>,
        children: Vec<(&'static str, NodeId)>,
    ) -> NodeId {
        self.nodes.push(Node {
            tag,
            unique: false,
            attributes,
            children,
        });
        NodeId(self.nodes.len() - 1)
    }

    fn find(&self, tag: &str) -> NodeId {
        NodeId(
            self.nodes
                .iter()
                .position(|node| node.tag == tag)
                .expect("the schema's text has this tag"),
        )
    }

    /// Adds `worldbody`. The printed schema merges it with `body`, but the world has children only.
    fn add_world_body(&mut self) {
        let body = self.find("body");
        let inside_world = |tag: &str| !matches!(tag, "joint" | "freejoint" | "inertial");
        let children = self
            .node(body)
            .children
            .iter()
            .copied()
            .filter(|(tag, _)| inside_world(tag))
            .collect();
        let world = self.add("worldbody", Vec::new(), children);
        for (tag, id) in &mut self.nodes[0].children {
            if *tag == "body" {
                (*tag, *id) = ("worldbody", world);
            }
        }
    }

    fn add_macros(&mut self) {
        let (body, world) = (self.find("body"), self.find("worldbody"));
        let children = self.node(body).children.clone();
        let frame = self.add(
            "frame",
            vec![
                "name",
                "childclass",
                "pos",
                "quat",
                "axisangle",
                "xyaxes",
                "zaxis",
                "euler",
            ],
            children.clone(),
        );
        let replicate = self.add(
            "replicate",
            vec!["count", "sep", "offset", "euler"],
            children,
        );
        for NodeId(parent) in [body, world, frame, replicate] {
            self.nodes[parent]
                .children
                .extend([("frame", frame), ("replicate", replicate)]);
        }
    }
}

type Head = (usize, &'static str, &'static str);

/// Splits a line of the printed schema: `(depth, tag, mark)` if it opens an element, and its attributes.
fn split_line(line: &'static str) -> Option<(Option<Head>, Vec<&'static str>)> {
    let indent = line.len() - line.trim_start().len();
    let mut words = line.split_whitespace().peekable();
    words.peek()?;
    let opens = line.contains('(') && indent < 24;
    let head = opens.then(|| {
        let tag = words
            .next()
            .unwrap_or_default()
            .trim_start_matches("(world)");
        let mark = words.next().unwrap_or_default().trim_matches(['(', ')']);
        (indent / 3, tag, mark)
    });
    Some((head, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_print_is_parsed_into_a_tree() {
        let schema = Schema::get();
        let root = schema.node(schema.root());
        assert!(root.has_attribute("model"));
        let world = schema.node(root.child("worldbody").unwrap());
        let body = schema.node(world.child("body").unwrap());
        assert!(
            body.has_attribute("gravcomp")
                && body.child("body").is_some()
                && body.child("joint").is_some()
        );
        assert!(world.child("joint").is_none() && world.child("frame").is_some());
        let frame = schema.node(body.child("frame").unwrap());
        assert!(frame.child("body").is_some() && frame.child("frame").is_some());
        let default = schema.node(root.child("default").unwrap());
        assert!(default.child("default").is_some() && default.child("geom").is_some());
        let equality = schema.node(root.child("equality").unwrap());
        assert!(
            schema
                .node(equality.child("joint").unwrap())
                .has_attribute("polycoef")
        );
        assert!(schema.nodes.len() > 150);
    }
}

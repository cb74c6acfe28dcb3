//! The elements of a URDF.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};

use crate::robot_file::RobotFileError;

/// Deepest supported nesting.
const DEEPEST: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) tag: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Node>,
}

impl Node {
    pub(super) fn new(tag: &str, attributes: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            tag: tag.to_owned(),
            attributes: attributes.iter().map(owned).collect(),
            children: Vec::new(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn child(&self, tag: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.tag == tag)
    }

    /// The element's tag and name, for messages.
    pub(super) fn label(&self) -> String {
        match self.get("name") {
            Some(name) => format!("{} {name:?}", self.tag),
            None => self.tag.clone(),
        }
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, RobotFileError> {
        let mut reader = Reader::from_str(text);
        let mut open = vec![Self::default()];
        loop {
            let event = reader
                .read_event()
                .map_err(|error| RobotFileError::refused(path, "xml", error))?;
            match event {
                Event::Start(start) => open.push(element(path, &start)?),
                Event::Empty(start) => {
                    let child = element(path, &start)?;
                    add(&mut open, child);
                }
                Event::End(_) => {
                    if let Some(child) = open.pop() {
                        add(&mut open, child);
                    }
                }
                Event::DocType(_) => {
                    return Err(RobotFileError::refused(
                        path,
                        "xml",
                        "document types are not read",
                    ));
                }
                Event::Eof => break,
                _ => {}
            }
            if open.len() > DEEPEST {
                return Err(RobotFileError::refused(
                    path,
                    "xml",
                    format!("more than {DEEPEST} nested elements"),
                ));
            }
        }
        let mut tops = match open.pop() {
            Some(top) if open.is_empty() => top.children,
            _ => {
                return Err(RobotFileError::refused(
                    path,
                    "xml",
                    "the file ends inside an element",
                ));
            }
        };
        match tops.pop() {
            Some(robot) if robot.tag == "robot" => Ok(robot),
            _ => Err(RobotFileError::refused(
                path,
                "xml",
                "the outermost element must be <robot>",
            )),
        }
    }

    pub(super) fn write(&self, writer: &mut Writer<Vec<u8>>) -> std::io::Result<()> {
        let mut start = BytesStart::new(self.tag.as_str());
        for (name, value) in &self.attributes {
            start.push_attribute((name.as_str(), value.as_str()));
        }
        writer.write_event(Event::Start(start))?;
        for child in &self.children {
            child.write(writer)?;
        }
        writer.write_event(Event::End(BytesEnd::new(self.tag.as_str())))
    }
}

fn add(open: &mut [Node], child: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(child);
    }
}

fn element(path: &Path, start: &BytesStart) -> Result<Node, RobotFileError> {
    let tag = start.name().as_ref().to_owned();
    let refused = |error: String| RobotFileError::refused(path, tag.clone(), error);
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| refused(error.to_string()))?;
        let name = attribute.key.as_ref().to_owned();
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| refused(format!("{name}: {error}")))?;
        attributes.push((name, value.into_owned()));
    }
    Ok(Node {
        tag: tag.clone(),
        attributes,
        children: Vec::new(),
    })
}

//! Converts the XML events of a file and of those that it includes to elements, and checks each against the schema.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::limits::MAX_DEPTH;
use super::lines::Lines;
use super::parse::{Open, Parser};
use super::source::Source;
use super::value::parse_value;
use crate::mjcf::error::abbreviate;
use crate::mjcf::schema::{Node, NodeId, kind_of};
use crate::mjcf::validate::{check_attributes, child_node, unknown_attribute};
use crate::mjcf::{Element, MjcfError};

/// The `mujoco` element of a main document.
pub(super) fn read_document(mut parser: Parser<'_>, source: &Source) -> Result<Element, MjcfError> {
    Text::new(&mut parser, source).read()?;
    parser.root.ok_or_else(|| MjcfError::Syntax {
        path: source.label.clone(),
        line: 1,
        problem: "the text holds no element; MJCF starts with <mujoco>".to_owned(),
    })
}

/// Reader of one file.
struct Text<'p, 'a, 's> {
    parser: &'p mut Parser<'a>,
    source: &'s Source,
    /// Number of elements that were open at the start of the file.
    floor: usize,
    /// State of the root element. The root element of an included file is dropped; that of the main file is kept.
    wrapper: Wrapper,
    /// Whether the end tag of an `<include>` is still missing.
    include_open: bool,
    lines: Lines<'s>,
}

#[derive(PartialEq)]
enum Wrapper {
    None,
    Awaited,
    Open,
    Closed,
}

impl<'p, 'a, 's> Text<'p, 'a, 's> {
    fn new(parser: &'p mut Parser<'a>, source: &'s Source) -> Self {
        let floor = parser.open.len();
        Self {
            parser,
            source,
            floor,
            wrapper: if floor == 0 {
                Wrapper::None
            } else {
                Wrapper::Awaited
            },
            include_open: false,
            lines: Lines::new(&source.text),
        }
    }

    fn read(&mut self) -> Result<(), MjcfError> {
        let mut reader = Reader::from_str(&self.source.text);
        reader.config_mut().allow_dangling_amp = false;
        loop {
            let line = self.lines.at(reader.buffer_position());
            let event = reader.read_event();
            match event.map_err(|error| self.syntax(line, lower_first(&error.to_string())))? {
                Event::Start(start) => self.start(&start, line, true)?,
                Event::Empty(start) => self.start(&start, line, false)?,
                Event::End(_) => self.end(line)?,
                Event::DocType(_) => {
                    return Err(self.syntax(line, "DOCTYPE is not supported; remove it"));
                }
                Event::GeneralRef(name) if !is_known_entity(&name) => {
                    let name = name.into_inner();
                    let problem = format!("unknown entity &{};", abbreviate(&name));
                    return Err(self.syntax(line, problem));
                }
                Event::Eof => return self.finish(line),
                // Comments, text and declarations have no meaning for MuJoCo.
                _ => {}
            }
        }
    }

    /// Checks that all elements of the file are closed at its end.
    fn finish(&self, line: usize) -> Result<(), MjcfError> {
        if let Some(open) = self.parser.open[self.floor..].last() {
            let problem = format!(
                "the text ends inside <{}>, opened in line {}",
                open.element.tag(),
                open.line
            );
            return Err(self.syntax(line, problem));
        }
        if self.include_open || matches!(self.wrapper, Wrapper::Awaited | Wrapper::Open) {
            return Err(self.syntax(line, "the text ends before its root element does"));
        }
        Ok(())
    }

    fn start(
        &mut self,
        start: &BytesStart<'_>,
        line: usize,
        has_end: bool,
    ) -> Result<(), MjcfError> {
        let name = start.name();
        let tag = name.as_ref();
        if self.include_open {
            return Err(self.syntax(line, "<include> cannot contain elements"));
        }
        self.parser.budget.take_element(&self.source.label)?;
        if self.parser.open.len() >= MAX_DEPTH {
            return Err(self.at(
                line,
                MjcfError::TooLarge {
                    path: self.source.label.clone(),
                    what: "the depth of elements within elements".to_owned(),
                    limit: MAX_DEPTH as u64,
                },
            ));
        }
        match self.wrapper {
            Wrapper::Awaited => {
                self.start_wrapper(has_end);
                return Ok(());
            }
            Wrapper::Closed => return Err(self.second_root(tag, line)),
            Wrapper::None | Wrapper::Open => {}
        }
        if tag == "include" && !self.parser.open.is_empty() {
            let file = self.include_file(start, line)?;
            self.include_open = has_end;
            return self.include(&file).map_err(|error| self.at(line, error));
        }
        let open = self.element(start, tag, line)?;
        if has_end {
            self.parser.open.push(open);
            return Ok(());
        }
        self.parser
            .close(open.element)
            .map_err(|error| self.at(line, error))
    }

    /// Reads an included file into the innermost open element.
    fn include(&mut self, file: &str) -> Result<(), MjcfError> {
        let source = self.parser.load_include(file)?;
        self.parser.include_depth += 1;
        Text::new(self.parser, &source).read()?;
        self.parser.include_depth -= 1;
        Ok(())
    }

    /// Opens the root element of an included file. Its name does not matter: MuJoCo only keeps its children.
    fn start_wrapper(&mut self, has_end: bool) {
        self.wrapper = if has_end {
            Wrapper::Open
        } else {
            Wrapper::Closed
        };
    }

    fn second_root(&self, tag: &str, line: usize) -> MjcfError {
        let problem = format!("<{}> comes after the end of the document", abbreviate(tag));
        self.syntax(line, problem)
    }

    fn end(&mut self, line: usize) -> Result<(), MjcfError> {
        if self.include_open {
            self.include_open = false;
            return Ok(());
        }
        if self.parser.open.len() == self.floor {
            self.wrapper = Wrapper::Closed; // the XML reader has checked that the names match
            return Ok(());
        }
        let open = self
            .parser
            .open
            .pop()
            .expect("more are open than at the file's start");
        self.parser
            .close(open.element)
            .map_err(|error| self.at(line, error))
    }

    /// Creates an element with its attributes, checked.
    fn element(&self, start: &BytesStart<'_>, tag: &str, line: usize) -> Result<Open, MjcfError> {
        let schema = self.parser.schema;
        let (id, parent_tag) = match self.parser.open.last() {
            Some(parent) => {
                let id = child_node(schema, parent.node, &parent.element, tag)
                    .map_err(|error| self.at(line, error))?;
                (id, parent.element.tag())
            }
            None if self.parser.root.is_some() => return Err(self.second_root(tag, line)),
            None => (self.root_node(tag, line)?, ""),
        };
        let node = schema.node(id);
        let mut element = Element::new(node.tag());
        self.attributes(start, line, node, parent_tag, &mut element)?;
        check_attributes(node, parent_tag, &element).map_err(|error| self.at(line, error))?;
        Ok(Open {
            element,
            node: id,
            line,
        })
    }

    fn root_node(&self, tag: &str, line: usize) -> Result<NodeId, MjcfError> {
        match tag {
            "mujoco" => Ok(self.parser.schema.root()),
            "robot" => Err(self.syntax(
                line,
                "this is URDF, not MJCF; MuJoCo can save it as MJCF (mj_saveLastXML)",
            )),
            _ => Err(self.syntax(
                line,
                format!("MJCF starts with <mujoco>, not <{}>", abbreviate(tag)),
            )),
        }
    }

    fn attributes(
        &self,
        start: &BytesStart<'_>,
        line: usize,
        node: &Node,
        parent: &str,
        element: &mut Element,
    ) -> Result<(), MjcfError> {
        for (name, text) in self.texts(start, line) {
            let (name, text) = (name, text?);
            let Some(attribute) = node.attribute(name) else {
                return Err(self.at(line, unknown_attribute(node, element, name)));
            };
            if element.get(attribute).is_some() {
                let problem = format!("{} has two attributes {attribute:?}", element.label());
                return Err(self.syntax(line, problem));
            }
            if attribute == "name" && text.is_empty() {
                continue; // an empty name is not a name, as in MuJoCo
            }
            match parse_value(kind_of(parent, element.tag(), attribute), &text) {
                Ok(value) => {
                    element.set(attribute, value);
                }
                Err(problem) => {
                    return Err(self.at(
                        line,
                        MjcfError::BadValue {
                            element: element.label(),
                            attribute: attribute.to_owned(),
                            value: abbreviate(&text).into_owned(),
                            problem,
                        },
                    ));
                }
            }
        }
        Ok(())
    }

    /// Names and texts of the attributes, with entities replaced.
    fn texts<'x>(
        &self,
        start: &'x BytesStart<'_>,
        line: usize,
    ) -> impl Iterator<Item = (&'x str, Result<String, MjcfError>)> {
        let mut attributes = start.attributes();
        attributes.with_checks(false); // the caller checks for repetition, faster
        attributes.map(move |attribute| match attribute {
            Ok(attribute) => {
                let text = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map(std::borrow::Cow::into_owned)
                    .map_err(|error| self.syntax(line, lower_first(&error.to_string())));
                (attribute.key.0, text)
            }
            Err(error) => ("", Err(self.syntax(line, lower_first(&error.to_string())))),
        })
    }

    fn include_file(&self, start: &BytesStart<'_>, line: usize) -> Result<String, MjcfError> {
        let mut file = None;
        for (name, text) in self.texts(start, line) {
            let text = text?;
            if name != "file" || file.is_some() {
                let problem = format!("<include> has one attribute, \"file\", not {name:?}");
                return Err(self.syntax(line, problem));
            }
            file = Some(text);
        }
        file.filter(|file| !file.is_empty())
            .ok_or_else(|| self.syntax(line, "<include> needs the attribute \"file\""))
    }

    fn syntax(&self, line: usize, problem: impl Into<String>) -> MjcfError {
        MjcfError::Syntax {
            path: self.source.label.clone(),
            line,
            problem: problem.into(),
        }
    }

    fn at(&self, line: usize, error: MjcfError) -> MjcfError {
        error.at(&self.source.label, line)
    }
}

fn is_known_entity(name: &BytesRef<'_>) -> bool {
    name.is_char_ref()
        || matches!(
            &*name.xml10_content(),
            "lt" | "gt" | "amp" | "apos" | "quot"
        )
}

fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

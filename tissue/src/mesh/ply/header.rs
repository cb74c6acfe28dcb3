//! The heading of a PLY file.

use std::fmt;

use crate::mesh::TriangleMesh;

/// Longest heading that is read [bytes].
const MAX_BYTES: usize = 65_536;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Little,
    Big,
}

/// Kinds of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    /// Kind of the count before a list.
    pub(super) list: Option<Kind>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) format: Format,
    pub(super) elements: Vec<Element>,
}

impl Kind {
    const NAMES: [(&str, &str, Kind); 8] = [
        ("char", "int8", Kind::I8),
        ("uchar", "uint8", Kind::U8),
        ("short", "int16", Kind::I16),
        ("ushort", "uint16", Kind::U16),
        ("int", "int32", Kind::I32),
        ("uint", "uint32", Kind::U32),
        ("float", "float32", Kind::F32),
        ("double", "float64", Kind::F64),
    ];

    fn named(name: &str) -> Result<Self, String> {
        let found = Self::NAMES
            .iter()
            .find(|(old, new, _)| name == *old || name == *new);
        match found {
            Some((_, _, kind)) => Ok(*kind),
            None => Err(format!(
                "{name:?} is no kind of number (char, uchar, …, double)"
            )),
        }
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl Element {
    /// Index of a property that is one number.
    pub(super) fn scalar(&self, name: &str) -> Option<usize> {
        let is_it = |property: &Property| property.name == name && property.list.is_none();
        self.properties.iter().position(is_it)
    }
}

/// The heading, its count of lines, and the bytes after it.
pub(super) fn parse(bytes: &[u8]) -> Result<(Header, usize, &[u8]), String> {
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut rest = bytes;
    let mut n_lines = 0;
    for number in 1.. {
        n_lines = number;
        let at_line = |problem: String| format!("line {number}: {problem}");
        let end = rest.iter().take(MAX_BYTES).position(|&byte| byte == b'\n');
        let Some(end) = end.filter(|_| bytes.len() - rest.len() < MAX_BYTES) else {
            return Err(at_line("the heading has no end_header".into()));
        };
        let line = String::from_utf8_lossy(&rest[..end]);
        rest = &rest[end + 1..];
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return Err(at_line("not \"ply\"".into())),
            [] | ["comment" | "obj_info", ..] => {}
            ["format", name, "1.0"] => {
                format = Some(match *name {
                    "ascii" => Format::Text,
                    "binary_little_endian" => Format::Little,
                    "binary_big_endian" => Format::Big,
                    _ => return Err(at_line(format!("{name:?} is no format of PLY"))),
                });
            }
            ["element", name, count] => {
                let count = count
                    .parse()
                    .map_err(|_| at_line(format!("{count:?} is no count")))?;
                elements.push(Element {
                    name: (*name).to_owned(),
                    count,
                    properties: Vec::new(),
                });
            }
            ["property", described @ ..] => {
                let property = property(described).map_err(at_line)?;
                let Some(element) = elements.last_mut() else {
                    return Err(at_line("a property before any element".into()));
                };
                element.properties.push(property);
            }
            ["end_header"] => break,
            _ => {
                return Err(at_line(format!(
                    "{line:?} belongs in no heading of PLY 1.0"
                )));
            }
        }
    }
    let Some(format) = format else {
        return Err("the heading has no line \"format … 1.0\"".into());
    };
    Ok((Header { format, elements }, n_lines, rest))
}

fn property(words: &[&str]) -> Result<Property, String> {
    match *words {
        ["list", count, kind, name] => {
            let count = Kind::named(count)?;
            if matches!(count, Kind::F32 | Kind::F64) {
                return Err(format!(
                    "the list {name:?} is counted by a number that is not whole"
                ));
            }
            Ok(Property {
                name: name.to_owned(),
                list: Some(count),
                kind: Kind::named(kind)?,
            })
        }
        [kind, name] => Ok(Property {
            name: name.to_owned(),
            list: None,
            kind: Kind::named(kind)?,
        }),
        _ => Err("a property is \"property KIND NAME\" or \"property list KIND KIND NAME\"".into()),
    }
}

impl Header {
    /// That of a binary file of a mesh.
    pub(super) fn of(mesh: &TriangleMesh, normals: bool, uvs: bool) -> Self {
        let number = |kind| {
            move |name: &&str| Property {
                name: (*name).to_owned(),
                list: None,
                kind,
            }
        };
        let mut properties: Vec<_> = ["x", "y", "z"].iter().map(number(Kind::F64)).collect();
        if normals {
            properties.extend(["nx", "ny", "nz"].iter().map(number(Kind::F32)));
        }
        if uvs {
            properties.extend(["s", "t"].iter().map(number(Kind::F32)));
        }
        let corners = Property {
            name: "vertex_indices".to_owned(),
            list: Some(Kind::U8),
            kind: Kind::U32,
        };
        let elements = [
            ("vertex", mesh.positions.len(), properties),
            ("face", mesh.triangles.len(), vec![corners]),
        ];
        Self {
            format: Format::Little,
            elements: elements
                .into_iter()
                .map(|(name, count, properties)| Element {
                    name: name.to_owned(),
                    count,
                    properties,
                })
                .collect(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let named = Self::NAMES.iter().find(|(_, _, kind)| kind == self);
        out.write_str(named.map_or("", |(old, _, _)| old))
    }
}

impl fmt::Display for Header {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let format = match self.format {
            Format::Text => "ascii",
            Format::Little => "binary_little_endian",
            Format::Big => "binary_big_endian",
        };
        writeln!(out, "ply\nformat {format} 1.0")?;
        for element in &self.elements {
            writeln!(out, "element {} {}", element.name, element.count)?;
            for Property { name, list, kind } in &element.properties {
                match list {
                    Some(count) => writeln!(out, "property list {count} {kind} {name}")?,
                    None => writeln!(out, "property {kind} {name}")?,
                }
            }
        }
        writeln!(out, "end_header")
    }
}

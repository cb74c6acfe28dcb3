//! PLY, text and binary in both byte orders, read by `ply-rs-bw`. Faces with more than three corners become fans of triangles.

use std::io::{Cursor, Write};

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult,
};

use crate::TriangleMesh;
use crate::check::{MAX_TRIANGLES, MAX_VERTICES, check_count};
use crate::error::shorten;

/// Maximum length of the header and of a row of a text file [bytes].
const MAX_LINE: usize = 1 << 16;

/// Reads a PLY file; the error names the line, or the number of the element in a binary file.
pub(crate) fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let end = b"end_header";
    let start = &bytes[..bytes.len().min(MAX_LINE)];
    if !start.windows(end.len()).any(|window| window == end) {
        return Err(format!("no line end_header in the first {MAX_LINE} bytes"));
    }
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = Parser::<SkippedElement>::new()
        .read_header(&mut reader)
        .map_err(|error| explain(&error))?;
    check_header(&header, bytes)?;
    let mut mesh = TriangleMesh::default();
    for (name, element) in &header.elements {
        match name.as_str() {
            "vertex" => {
                for axis in ["x", "y", "z"] {
                    if !element.properties.contains_key(axis) {
                        return Err(format!("element vertex has no property {axis}"));
                    }
                }
                let vertices: Vec<Vertex> = rows(&mut reader, element, &header)?;
                mesh.positions = vertices.into_iter().map(|vertex| vertex.0).collect();
            }
            "face" => {
                if !CORNERS
                    .iter()
                    .any(|&name| element.properties.contains_key(name))
                {
                    return Err("element face has no list vertex_indices".to_owned());
                }
                let faces: Vec<Face> = rows(&mut reader, element, &header)?;
                for (index, face) in faces.iter().enumerate() {
                    face.add_to(&mut mesh)
                        .map_err(|problem| format!("face {index}: {problem}"))?;
                }
            }
            _ => {
                rows::<SkippedElement>(&mut reader, element, &header)?;
            }
        }
    }
    check_content(&mesh)?;
    Ok(mesh)
}

/// Rejects counts that do not fit the file's length: a row takes at least one byte.
fn check_header(header: &Header, bytes: &[u8]) -> Result<(), String> {
    for (name, element) in &header.elements {
        let most = match name.as_str() {
            "vertex" => MAX_VERTICES,
            "face" => MAX_TRIANGLES,
            _ => bytes.len(),
        };
        if element.count > most.min(bytes.len())
            || (element.properties.is_empty() && element.count > 0)
        {
            return Err(format!(
                "element {:?} has {} rows of {} properties; it must have at most {} rows of at least one property in a file of {} bytes",
                shorten(name),
                element.count,
                element.properties.len(),
                most.min(bytes.len()),
                bytes.len()
            ));
        }
    }
    let mut lines = bytes.split(|&byte| byte == b'\n');
    if header.encoding == Encoding::Ascii && lines.any(|line| line.len() > MAX_LINE) {
        return Err(format!("a line is longer than {MAX_LINE} bytes"));
    }
    Ok(())
}

fn check_content(mesh: &TriangleMesh) -> Result<(), String> {
    let mut positions = mesh.positions.iter().enumerate();
    if let Some((vertex, position)) = positions.find(|(_, p)| !p.iter().all(|x| x.is_finite())) {
        return Err(format!("vertex {vertex}: {position:?} is not finite"));
    }
    let n_vertices = mesh.positions.len();
    let mut corners = mesh.triangles.iter().flatten();
    match corners.find(|&&vertex| vertex as usize >= n_vertices) {
        Some(vertex) => Err(format!("a face refers to vertex {vertex} of {n_vertices}")),
        None => Ok(()),
    }
}

fn rows<E: PropertyAccess>(
    reader: &mut Reader<Cursor<&[u8]>>,
    element: &ElementDef,
    header: &Header,
) -> Result<Vec<E>, String> {
    Parser::new()
        .read_payload_for_element(reader, element, header)
        .map_err(|error| explain(&error))
}

/// First and last line of a multi-line message: the place and the problem.
fn explain(error: &ParseError) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let last = text.lines().next_back().unwrap_or_default().trim();
    match last.strip_prefix("Error: ") {
        Some(cause) => format!("{} {}", shorten(first), shorten(cause)),
        None => shorten(first),
    }
}

/// An element that is skipped.
struct SkippedElement;

impl PropertyAccess for SkippedElement {
    fn new() -> Self {
        Self
    }
}

struct Vertex([f64; 3]);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([f64::NAN; 3])
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[axis] = match value {
            Property::Char(x) => x.into(),
            Property::UChar(x) => x.into(),
            Property::Short(x) => x.into(),
            Property::UShort(x) => x.into(),
            Property::Int(x) => x.into(),
            Property::UInt(x) => x.into(),
            Property::Float(x) => x.into(),
            Property::Double(x) => x,
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// Property names of the vertex list of a face.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

struct Face(Vec<u32>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if !CORNERS.contains(&name) {
            return PropertyAccessResult::Ignored;
        }
        match value.to_u32_list() {
            Some(corners) => {
                self.0 = corners;
                PropertyAccessResult::Set
            }
            None => PropertyAccessResult::UnsupportedType,
        }
    }
}

impl Face {
    fn add_to(&self, mesh: &mut TriangleMesh) -> Result<(), String> {
        let [first, rest @ ..] = self.0.as_slice() else {
            return Err("has 0 corners; it must have at least 3".to_owned());
        };
        if rest.len() < 2 {
            return Err(format!(
                "has {} corners; it must have at least 3",
                self.0.len()
            ));
        }
        let fan = rest.windows(2);
        mesh.triangles
            .extend(fan.map(|pair| [*first, pair[0], pair[1]]));
        check_count("triangles", mesh.triangles.len(), MAX_TRIANGLES)
            .map_err(|fault| fault.to_string())
    }
}

/// Writes binary little-endian PLY with positions as doubles.
pub(crate) fn write(
    mut out: impl Write,
    mesh: &TriangleMesh,
    normals: Option<&[[f64; 3]]>,
    uvs: Option<&[[f64; 2]]>,
) -> std::io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    writeln!(out, "element vertex {}", mesh.positions.len())?;
    writeln!(
        out,
        "property double x\nproperty double y\nproperty double z"
    )?;
    if normals.is_some() {
        writeln!(
            out,
            "property float nx\nproperty float ny\nproperty float nz"
        )?;
    }
    if uvs.is_some() {
        writeln!(out, "property float s\nproperty float t")?;
    }
    writeln!(out, "element face {}", mesh.triangles.len())?;
    writeln!(out, "property list uchar uint vertex_indices\nend_header")?;
    for (index, position) in mesh.positions.iter().enumerate() {
        for x in position {
            out.write_all(&x.to_le_bytes())?;
        }
        let normal = normals.iter().flat_map(|normals| normals[index]);
        for x in normal.chain(uvs.iter().flat_map(|uvs| uvs[index])) {
            out.write_all(&(x as f32).to_le_bytes())?;
        }
    }
    for triangle in &mesh.triangles {
        out.write_all(&[3])?;
        for vertex in triangle {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    Ok(())
}

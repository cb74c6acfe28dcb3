//! STL, text and binary, read by `stl_io`. Normals are ignored: they follow from the order of the corners.

use std::borrow::Cow;
use std::io::Cursor;

use crate::TriangleMesh;
use crate::check::{MAX_TRIANGLES, check_count};
use crate::error::shorten;

/// Number of bytes before the first triangle of a binary file: a header of 80 bytes and the count.
const HEADER: usize = 84;

/// Number of bytes of a triangle in a binary file: normal, three corners, attribute.
const RECORD: usize = 50;

/// Reads an STL file and merges equal vertices; the error names the triangle.
pub(crate) fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let declared = bytes
        .get(80..HEADER)
        .map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let length = declared.map(|count| HEADER as u64 + RECORD as u64 * u64::from(count));
    // Binary files may also begin with "solid": only their length distinguishes them.
    let content = if length == Some(bytes.len() as u64) {
        let mut binary = bytes.to_vec();
        binary[..80].fill(0); // `stl_io` treats a file that begins with "solid " as text
        binary
    } else if bytes.trim_ascii_start().starts_with(b"solid") {
        one_solid(&String::from_utf8_lossy(bytes)).into_bytes()
    } else if let (Some(count), Some(length)) = (declared, length) {
        return Err(format!(
            "the header announces {count} triangles, which make {length} bytes, but there are {}; a text file begins with \"solid\"",
            bytes.len()
        ));
    } else {
        return Err(format!(
            "the file has {} bytes; a binary file must have at least {HEADER} bytes, and a text file begins with \"solid\"",
            bytes.len()
        ));
    };
    let mut cursor = Cursor::new(content);
    let triangles = stl_io::create_stl_reader(&mut cursor).map_err(|error| error.to_string())?;
    let mut mesh = TriangleMesh::default();
    for (index, triangle) in triangles.enumerate() {
        check_count("triangles", index + 1, MAX_TRIANGLES).map_err(|fault| fault.to_string())?;
        let triangle = triangle
            .map_err(|error| format!("triangle {index}: {}", shorten(&error.to_string())))?;
        let corners = triangle.vertices.map(|corner| corner.0.map(f64::from));
        if let Some(number) = corners.iter().flatten().find(|x| !x.is_finite()) {
            return Err(format!("triangle {index}: {number} is not a finite number"));
        }
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(corners);
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh.weld_equal();
    Ok(mesh)
}

/// Joins all solids of a text file into one, in the spelling that `stl_io` accepts and with numeric normals.
fn one_solid(text: &str) -> String {
    let mut solid = String::from("solid all\n");
    for line in text.lines() {
        let line = line.trim_ascii().to_ascii_lowercase();
        let line = match line.split_ascii_whitespace().next() {
            Some("solid" | "endsolid") => continue,
            Some("facet") => Cow::Borrowed("facet normal 0 0 0"),
            _ => Cow::Owned(line),
        };
        solid.push_str(&line);
        solid.push('\n');
    }
    solid + "endsolid\n"
}

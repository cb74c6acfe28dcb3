//! STL, text and binary. Its normals are left out: the order of the corners tells them.

use super::check::{MAX_VERTICES, check_count};
use super::{TriangleMesh, obj};

/// Bytes before the first triangle of a binary file: a heading of 80 and the count.
const HEAD: usize = 84;

/// Bytes of a triangle in a binary file: normal, three corners, attribute.
const RECORD: usize = 50;

/// Reads what an STL file holds; the error names the line or byte.
pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let count = bytes
        .get(80..HEAD)
        .map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize);
    // Binary files may open with the word that text files open with: only their length tells.
    let length = count.map(|count| HEAD as u64 + RECORD as u64 * count as u64);
    let mut mesh = if length == Some(bytes.len() as u64) {
        binary(&bytes[HEAD..])?
    } else if bytes.trim_ascii_start().starts_with(b"solid") {
        text(bytes)?
    } else if let (Some(count), Some(length)) = (count, length) {
        return Err(format!(
            "byte 80 counts {count} triangles, which make {length} bytes, but there are {}; a text file opens with \"solid\"",
            bytes.len()
        ));
    } else {
        return Err(format!(
            "{} bytes, but a binary file has 84 or more, and a text file opens with \"solid\"",
            bytes.len()
        ));
    };
    mesh.weld(0.0);
    Ok(mesh)
}

fn binary(records: &[u8]) -> Result<TriangleMesh, String> {
    let n_triangles = records.len() / RECORD;
    check_count("triangles", n_triangles, 2 * MAX_VERTICES).map_err(|fault| fault.to_string())?;
    let mut mesh = TriangleMesh::default();
    for (index, record) in records.chunks_exact(RECORD).enumerate() {
        let number = |i: usize| {
            let at = 12 + 4 * i;
            f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
        };
        let corners: [[f32; 3]; 3] = [0, 1, 2].map(|c| [0, 1, 2].map(|axis| number(3 * c + axis)));
        if let Some(i) = (0..9).find(|&i| !number(i).is_finite()) {
            let byte = HEAD + index * RECORD + 12 + 4 * i;
            return Err(format!("byte {byte}: {} is not a finite number", number(i)));
        }
        push(&mut mesh, corners.map(|corner| corner.map(f64::from)));
    }
    Ok(mesh)
}

fn text(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let mut mesh = TriangleMesh::default();
    let mut corners = Vec::with_capacity(3);
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let at_line = |problem: String| format!("line {}: {problem}", number + 1);
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        let keyword = words.next().unwrap_or("").to_ascii_lowercase();
        match keyword.as_str() {
            "" | "solid" | "endsolid" | "facet" | "endloop" => {}
            "outer" => corners.clear(),
            "vertex" => {
                let numbers: Result<Vec<f64>, String> = words.map(obj::number).collect();
                let numbers = numbers.map_err(at_line)?;
                let corner: Result<[f64; 3], _> = numbers.try_into();
                let corner = corner.map_err(|numbers: Vec<f64>| {
                    at_line(format!(
                        "a vertex of {} numbers, but it has 3",
                        numbers.len()
                    ))
                })?;
                if corners.len() == 3 {
                    return Err(at_line("a fourth vertex of one facet".into()));
                }
                corners.push(corner);
            }
            "endfacet" => {
                let Ok(corners) = <[[f64; 3]; 3]>::try_from(corners.as_slice()) else {
                    let problem = format!("a facet of {} vertices, but it has 3", corners.len());
                    return Err(at_line(problem));
                };
                push(&mut mesh, corners);
                check_count("triangles", mesh.triangles.len(), 2 * MAX_VERTICES)
                    .map_err(|fault| at_line(fault.to_string()))?;
            }
            word => {
                let problem = format!(
                    "{word:?} is none of solid, facet, outer, vertex, endloop, endfacet, endsolid"
                );
                return Err(at_line(problem));
            }
        }
    }
    Ok(mesh)
}

fn push(mesh: &mut TriangleMesh, corners: [[f64; 3]; 3]) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(corners);
    mesh.triangles.push([first, first + 1, first + 2]);
}

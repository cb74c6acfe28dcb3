//! Wavefront OBJ: vertices and faces; faces of more than three corners become fans.

use std::io::Write;

use super::TriangleMesh;
use super::check::{MAX_VERTICES, check_count};

/// Statements that say nothing about where the surface is.
const IGNORED: [&str; 13] = [
    "vn", "vt", "vp", "g", "o", "s", "mg", "usemtl", "mtllib", "l", "p", "lod", "usemap",
];

/// Reads what an OBJ file holds; the error names the line.
pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let mut mesh = TriangleMesh::default();
    let mut face = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let at_line = |problem: String| format!("line {}: {problem}", number + 1);
        let line = String::from_utf8_lossy(line);
        let mut words = line
            .split('#')
            .next()
            .unwrap_or("")
            .split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => mesh.positions.push(position(words).map_err(at_line)?),
            Some("f") => {
                let n_vertices = mesh.positions.len();
                face.clear();
                for word in words {
                    face.push(vertex(word, n_vertices).map_err(at_line)?);
                }
                if face.len() < 3 {
                    let problem = format!("a face of {} corners, but three are least", face.len());
                    return Err(at_line(problem));
                }
                let fan = face[1..].windows(2);
                mesh.triangles
                    .extend(fan.map(|pair| [face[0], pair[0], pair[1]]));
            }
            Some(word) if IGNORED.contains(&word) => {}
            Some(word) => {
                let problem =
                    format!("{word:?} is no statement of a polygon mesh (v, vn, vt, f, …)");
                return Err(at_line(problem));
            }
        }
        check_count("vertices", mesh.positions.len(), MAX_VERTICES)
            .and_then(|()| check_count("triangles", mesh.triangles.len(), 2 * MAX_VERTICES))
            .map_err(|fault| at_line(fault.to_string()))?;
    }
    Ok(mesh)
}

/// x y z, after which a weight or a colour may follow.
fn position<'a>(words: impl Iterator<Item = &'a str>) -> Result<[f64; 3], String> {
    let mut position = [0.0; 3];
    let mut n_words = 0;
    for (axis, word) in words.enumerate() {
        n_words += 1;
        let number = number(word)?;
        if let Some(entry) = position.get_mut(axis) {
            *entry = number;
        }
    }
    match n_words {
        3 | 4 | 6 | 7 => Ok(position),
        _ => Err(format!(
            "a vertex of {n_words} numbers, but it has 3, 4, 6 or 7"
        )),
    }
}

pub(super) fn number(word: &str) -> Result<f64, String> {
    let number: Option<f64> = word.parse().ok().filter(|x: &f64| x.is_finite());
    number.ok_or_else(|| format!("{word:?} is not a finite number"))
}

/// `v`, `v/vt`, `v//vn` or `v/vt/vn`; from 1, or back from the last by −1.
fn vertex(word: &str, n_vertices: usize) -> Result<u32, String> {
    let first = word.split('/').next().unwrap_or("");
    let index: Option<i64> = first.parse().ok();
    let from_zero = index.and_then(|index| match index {
        1.. => usize::try_from(index - 1).ok(),
        _ => n_vertices.checked_sub(usize::try_from(index.checked_neg()?).ok()?),
    });
    match from_zero.filter(|&vertex| vertex < n_vertices) {
        Some(vertex) => Ok(vertex as u32),
        None => Err(format!(
            "{word:?} names none of the {n_vertices} vertices so far"
        )),
    }
}

/// Writes positions with UVs and normals where there are any; each vertex has one of each.
pub(super) fn write(
    out: &mut dyn Write,
    mesh: &TriangleMesh,
    normals: Option<&[[f64; 3]]>,
    uvs: Option<&[[f64; 2]]>,
) -> std::io::Result<()> {
    for [x, y, z] in &mesh.positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [u, v] in uvs.unwrap_or_default() {
        writeln!(out, "vt {u} {v}")?;
    }
    for [x, y, z] in normals.unwrap_or_default() {
        writeln!(out, "vn {x:.6} {y:.6} {z:.6}")?;
    }
    for triangle in &mesh.triangles {
        write!(out, "f")?;
        for vertex in triangle.map(|vertex| u64::from(vertex) + 1) {
            match (uvs, normals) {
                (None, None) => write!(out, " {vertex}")?,
                (Some(_), None) => write!(out, " {vertex}/{vertex}")?,
                (None, Some(_)) => write!(out, " {vertex}//{vertex}")?,
                (Some(_), Some(_)) => write!(out, " {vertex}/{vertex}/{vertex}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

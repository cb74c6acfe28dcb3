//! Wavefront OBJ: positions, normals and faces. Polygons become fans of triangles; other elements are ignored.
//!
//! The parser is our own because `tobj` drops vertices without faces (MuJoCo takes the convex hull of such clouds), renumbers the
//! others, gives no line numbers in its errors, and overflows at an index before the first normal.

use std::collections::HashMap;
use std::io::Write;

use crate::TriangleMesh;
use crate::check::{MAX_TRIANGLES, MAX_VERTICES, check_count};
use crate::error::shorten;

/// Position and normal of a corner.
type Corner = (u32, Option<u32>);

/// Content of an OBJ file.
#[derive(Debug, Default)]
pub(crate) struct Obj {
    positions: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    triangles: Vec<[Corner; 3]>,
}

/// Reads an OBJ file; the error names the line.
pub(crate) fn parse(bytes: &[u8]) -> Result<Obj, String> {
    let mut obj = Obj::default();
    let mut face = Vec::new();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line); // comments are often not UTF-8
        obj.read_line(&line, &mut face)
            .map_err(|problem| format!("line {}: {problem}", index + 1))?;
    }
    if obj.positions.is_empty() {
        return Err("the file has no vertices".to_owned());
    }
    Ok(obj)
}

impl Obj {
    fn read_line(&mut self, line: &str, face: &mut Vec<Corner>) -> Result<(), String> {
        let content = line.split('#').next().unwrap_or_default();
        let mut words = content.split_ascii_whitespace();
        match words.next() {
            Some("v") => self.positions.push(vector(words)?),
            Some("vn") => self.normals.push(vector(words)?),
            Some("f") => {
                face.clear();
                for word in words {
                    face.push(self.corner(word)?);
                }
                if face.len() < 3 {
                    return Err(format!(
                        "the face has {} corners; it must have at least 3",
                        face.len()
                    ));
                }
                let fan = face[1..].windows(2);
                self.triangles
                    .extend(fan.map(|pair| [face[0], pair[0], pair[1]]));
            }
            _ => {}
        }
        check_count("vertices", self.positions.len(), MAX_VERTICES)
            .and_then(|()| check_count("triangles", self.triangles.len(), MAX_TRIANGLES))
            .map_err(|fault| fault.to_string())
    }

    /// Parses `position`, `position/texture`, `position//normal` or `position/texture/normal`.
    fn corner(&self, word: &str) -> Result<Corner, String> {
        let mut parts = word.split('/');
        let position = index(parts.next().unwrap_or_default(), self.positions.len())?;
        let normal = match parts.nth(1) {
            None | Some("") => None,
            Some(part) => Some(index(part, self.normals.len())?),
        };
        Ok((position, normal))
    }

    /// The mesh with all positions, in their order.
    pub(crate) fn into_mesh(self) -> TriangleMesh {
        let triangles = self.triangles.into_iter();
        TriangleMesh {
            positions: self.positions,
            triangles: triangles
                .map(|corners| corners.map(|(position, _)| position))
                .collect(),
        }
    }

    /// The mesh with one vertex per distinct corner, in the order of first use, and the normals if all corners have one.
    pub(crate) fn split_at_normals(self) -> (TriangleMesh, Vec<[f64; 3]>) {
        if self.triangles.is_empty() {
            return (self.into_mesh(), Vec::new());
        }
        let mut mesh = TriangleMesh::default();
        let mut normals = Vec::new();
        let mut vertices = HashMap::new();
        for corners in &self.triangles {
            mesh.triangles.push(corners.map(|corner| {
                *vertices.entry(corner).or_insert_with(|| {
                    let (position, normal) = corner;
                    mesh.positions.push(self.positions[position as usize]);
                    normals.extend(normal.map(|normal| self.normals[normal as usize]));
                    mesh.positions.len() as u32 - 1
                })
            }));
        }
        if normals.len() < mesh.positions.len() {
            normals.clear();
        }
        (mesh, normals)
    }
}

/// Parses three numbers; a weight or a colour may follow.
fn vector<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<[f64; 3], String> {
    let mut vector = [0.0; 3];
    for entry in &mut vector {
        let word = words.next().ok_or("three numbers are needed")?;
        let number: Option<f64> = word.parse().ok().filter(|x: &f64| x.is_finite());
        *entry = number.ok_or_else(|| format!("{:?} is not a finite number", shorten(word)))?;
    }
    Ok(vector)
}

/// Parses an index, which counts from 1, or backwards from −1.
fn index(word: &str, count: usize) -> Result<u32, String> {
    let number: Option<i64> = word.parse().ok();
    let index = number.and_then(|number| match number {
        1.. => number.checked_sub(1),
        0 => None,
        _ => number.checked_add(count as i64),
    });
    let index = index.and_then(|index| u32::try_from(index).ok());
    index
        .filter(|&index| (index as usize) < count)
        .ok_or_else(|| format!("index {:?} is not one of the {count} so far", shorten(word)))
}

/// Writes positions, and UVs and normals if there are any; every vertex then has one.
pub(crate) fn write(
    mut out: impl Write,
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

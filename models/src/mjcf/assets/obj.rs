//! Wavefront OBJ: positions, normals and faces; polygons become fans of triangles.
//!
//! Texture coordinates are left out: the images that they refer to cannot be written into MJCF.

use super::{Corners, MeshData, check_triangles};
use crate::mjcf::error::abbreviate;

pub(super) fn parse(bytes: &[u8]) -> Result<MeshData, String> {
    let text = String::from_utf8_lossy(bytes); // comments are often not UTF-8
    let mut parser = Parser {
        positions: Vec::new(),
        normals: Vec::new(),
        corners: Corners::new(),
        mesh: MeshData::default(),
        all_have_normals: true,
    };
    for (index, line) in text.lines().enumerate() {
        parser
            .line(line)
            .map_err(|problem| format!("line {}: {problem}", index + 1))?;
    }
    let Parser {
        positions,
        mut mesh,
        all_have_normals,
        ..
    } = parser;
    if mesh.faces.is_empty() {
        mesh.vertices = positions.into_iter().flatten().collect();
    }
    if !all_have_normals {
        mesh.normals.clear();
    }
    Ok(mesh)
}

/// Position and normal of a corner.
type Corner = (usize, Option<usize>);

struct Parser {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    corners: Corners<Corner>,
    mesh: MeshData,
    all_have_normals: bool,
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => self.positions.push(vector(words)?),
            Some("vn") => self.normals.push(vector(words)?),
            Some("f") => self.face(words)?,
            _ => {} // texture coordinates, groups, materials, comments
        }
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let corners = words
            .map(|word| self.corner(word))
            .collect::<Result<Vec<Corner>, String>>()?;
        let [first, rest @ ..] = corners.as_slice() else {
            return Err("a face without corners".to_owned());
        };
        if rest.len() < 2 {
            return Err("a face needs at least three corners".to_owned());
        }
        for pair in rest.windows(2) {
            for &corner in [first, &pair[0], &pair[1]] {
                self.add(corner);
            }
        }
        check_triangles(self.mesh.faces.len() / 3)
    }

    /// `position`, `position/texture`, `position/texture/normal` or `position//normal`.
    fn corner(&self, word: &str) -> Result<Corner, String> {
        let mut parts = word.split('/');
        let position = index(parts.next().unwrap_or_default(), self.positions.len())?;
        let normal = match parts.nth(1) {
            None | Some("") => None,
            Some(part) => Some(index(part, self.normals.len())?),
        };
        Ok((position, normal))
    }

    fn add(&mut self, corner: Corner) {
        let (vertex, new) = self.corners.vertex(corner);
        if new {
            let (position, normal) = corner;
            self.mesh.vertices.extend(self.positions[position]);
            match normal {
                Some(normal) => self.mesh.normals.extend(self.normals[normal]),
                None => self.all_have_normals = false,
            }
        }
        self.mesh.faces.push(vertex);
    }
}

fn vector<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<[f32; 3], String> {
    let mut vector = [0.0; 3];
    for real in &mut vector {
        *real = words
            .next()
            .and_then(|word| word.parse().ok())
            .ok_or("three numbers are needed")?;
    }
    Ok(vector)
}

/// Indices count from 1, or backwards from the last.
fn index(word: &str, count: usize) -> Result<usize, String> {
    let number: i64 = word
        .parse()
        .map_err(|_| format!("{:?} is not an index", abbreviate(word)))?;
    let index = if number < 0 {
        number + count as i64
    } else {
        number - 1
    };
    usize::try_from(index)
        .ok()
        .filter(|&index| index < count)
        .ok_or_else(|| format!("index {number} of {count}"))
}

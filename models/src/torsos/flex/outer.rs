//! The outer surface of a flex torso at rest, for planning paths on it.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::lattice::Block;
use crate::torsos::Surface;

/// Facets along each edge of a lattice cell.
const FINENESS: usize = 4;

/// The top and the flanks of `block`, `radius` [m] outside of it, several facets to each of the `count` lattice cells.
///
/// The lattice itself is coarser: between its points the simulated skin lies up to 1.3 mm inside this surface.
pub(super) fn outer_surface(block: &Block, count: [usize; 3], radius: f64) -> Surface {
    let cells = count.map(|count| FINENESS * (count - 1));
    let mut mesh = Mesh::default();
    for face in FACES {
        mesh.add_face(block, cells, face);
    }
    mesh.offset(radius)
}

/// A face of the block: the axis that is held, whether at its far end, and the axes that span it, so that their cross product
/// points outwards; axes are 0 across, 1 upwards, 2 along.
#[derive(Clone, Copy)]
struct Face {
    held: usize,
    is_far: bool,
    spanned: [usize; 2],
}

const FACES: [Face; 5] = [
    face(1, true, [0, 2]),
    face(0, true, [2, 1]),
    face(0, false, [1, 2]),
    face(2, true, [1, 0]),
    face(2, false, [0, 1]),
];

const fn face(held: usize, is_far: bool, spanned: [usize; 2]) -> Face {
    Face {
        held,
        is_far,
        spanned,
    }
}

/// A mesh whose vertices are found by their place in a lattice, so that faces share their edges.
#[derive(Default)]
struct Mesh {
    index: BTreeMap<[usize; 3], usize>,
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// Adds the facets of one face.
    fn add_face(&mut self, block: &Block, cells: [usize; 3], face: Face) {
        let [first, second] = face.spanned;
        for a in 0..cells[first] {
            for b in 0..cells[second] {
                let mut corner = |da: usize, db: usize| {
                    let mut at = [0; 3];
                    at[face.held] = if face.is_far { cells[face.held] } else { 0 };
                    at[first] = a + da;
                    at[second] = b + db;
                    self.vertex(block, cells, at)
                };
                let corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let [p, q, r, s] = corners;
                self.triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
    }

    /// The vertex at a place, made when it is new.
    fn vertex(&mut self, block: &Block, cells: [usize; 3], at: [usize; 3]) -> usize {
        let next = self.vertices.len();
        let index = *self.index.entry(at).or_insert(next);
        if index == next {
            let share = |axis: usize| at[axis] as f64 / cells[axis] as f64;
            let uvw = [2.0 * share(0) - 1.0, 2.0 * share(2) - 1.0, share(1)];
            self.vertices.push(block.point(uvw));
        }
        index
    }

    /// The mesh with every vertex moved outwards by `distance` along the mean normal of its facets.
    fn offset(self, distance: f64) -> Surface {
        let mut normals = vec![Vector3::zeros(); self.vertices.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| Vector3::from(self.vertices[vertex]));
            let normal = (b - a).cross(&(c - a));
            for &vertex in triangle {
                normals[vertex] += normal;
            }
        }
        let vertices = self
            .vertices
            .iter()
            .zip(normals)
            .map(|(&vertex, normal)| (Vector3::from(vertex) + normal.normalize() * distance).into())
            .collect();
        Surface {
            vertices,
            triangles: self.triangles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torsos::Shape;

    #[test]
    fn the_surface_of_a_box_is_a_box_of_the_outer_size() {
        let block = Block {
            shape: Shape::Box,
            size: [0.13, 0.095, 0.165],
        };
        let surface = outer_surface(&block, [9, 4, 11], 0.01);
        let centre = surface.above(0.01, 0.02).unwrap();
        assert!((centre.position[2] - 0.105).abs() < 1e-12);
        assert!((centre.normal[2] - 1.0).abs() < 1e-12);
        let (low, high) = surface.bounds();
        assert!((high[0] - 0.14).abs() < 1e-9 && (low[1] + 0.175).abs() < 1e-9);
        let inwards = surface.triangles.iter().filter(|triangle| {
            let [a, b, c] = triangle.map(|vertex| Vector3::from(surface.vertices[vertex]));
            let outwards = (a + b + c) / 3.0 - Vector3::new(0.0, 0.0, 0.05);
            (b - a).cross(&(c - a)).dot(&outwards) <= 0.0
        });
        assert_eq!(inwards.count(), 0);
    }
}

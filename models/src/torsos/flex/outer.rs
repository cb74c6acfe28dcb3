//! The outer surface of a flex torso at rest, for path planning.

use std::collections::BTreeMap;

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

use super::lattice::Block;

/// Number of facets along each edge of a lattice cell.
const FINENESS: usize = 4;

/// The top and the flanks of `block`, `radius` [m] outside of it, with several facets in each of the `count` lattice cells.
///
/// The lattice is coarser: between its points, the simulated skin lies up to 1.3 mm inside this surface.
pub(super) fn outer_surface(block: &Block, count: [usize; 3], radius: f64) -> TriangleMesh {
    let cells = count.map(|count| FINENESS * (count - 1));
    let mut faces = Faces::default();
    for face in FACES {
        faces.add_face(block, cells, face);
    }
    faces.offset(radius)
}

/// A face of the block: the axis that is constant, whether it is at its upper end, and the axes that span the face, such that their cross
/// product points outwards. Axes are 0 across, 1 upwards, 2 along.
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

/// Faces with vertices that are identified by their lattice indices, so that faces share their edges.
#[derive(Default)]
struct Faces {
    index: BTreeMap<[usize; 3], u32>,
    mesh: TriangleMesh,
}

impl Faces {
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
                self.mesh.triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
    }

    /// The vertex at these lattice indices; created if it does not exist.
    fn vertex(&mut self, block: &Block, cells: [usize; 3], at: [usize; 3]) -> u32 {
        let next = self.mesh.positions.len() as u32;
        let index = *self.index.entry(at).or_insert(next);
        if index == next {
            let share = |axis: usize| at[axis] as f64 / cells[axis] as f64;
            let uvw = [2.0 * share(0) - 1.0, 2.0 * share(2) - 1.0, share(1)];
            self.mesh.positions.push(block.point(uvw));
        }
        index
    }

    /// The mesh with every vertex moved outwards by `distance` along the mean normal of its facets.
    fn offset(self, distance: f64) -> TriangleMesh {
        let mut mesh = self.mesh;
        let mut normals = vec![Vector3::zeros(); mesh.positions.len()];
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = mesh.corners(index);
            let normal = (b - a).cross(&(c - a));
            for &vertex in triangle {
                normals[vertex as usize] += normal;
            }
        }
        for (position, normal) in mesh.positions.iter_mut().zip(normals) {
            *position = (Vector3::from(*position) + normal.normalize() * distance).into();
        }
        mesh
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
            trunk: None,
        };
        let surface = outer_surface(&block, [9, 4, 11], 0.01);
        let centre = surface.highest_at(0.01, 0.02).unwrap();
        assert!((centre.position[2] - 0.105).abs() < 1e-12);
        assert!((centre.normal[2] - 1.0).abs() < 1e-12);
        let [low, high] = surface.bounds();
        assert!((high[0] - 0.14).abs() < 1e-9 && (low[1] + 0.175).abs() < 1e-9);
        let inwards = (0..surface.triangles.len()).filter(|&triangle| {
            let [a, b, c] = surface.corners(triangle);
            let outwards = (a + b + c) / 3.0 - Vector3::new(0.0, 0.0, 0.05);
            (b - a).cross(&(c - a)).dot(&outwards) <= 0.0
        });
        assert_eq!(inwards.count(), 0);
    }
}

//! The mesh of a body: which tetrahedron contains a place.

use insonate_tissue::mesh::TetMesh;
use nalgebra::{Matrix3, Vector3};

/// A barycentric weight above this value is inside; faces belong to the tetrahedra on both of their sides.
const INSIDE: f64 = -1e-9;

/// A mesh at rest, with its tetrahedra sorted into cubes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mesh {
    pub(super) rest: TetMesh,
    low: Vector3<f64>,
    /// Width of a cube [m].
    width: f64,
    /// Number of cubes along each axis.
    n: [usize; 3],
    /// Tetrahedra whose bounds at rest meet each cube, in ascending order.
    cubes: Vec<Vec<u32>>,
}

impl Mesh {
    /// Sorts the tetrahedra of a mesh. `width` of the cubes [m], about the length of an edge.
    pub(super) fn new(rest: TetMesh, width: f64) -> Self {
        let points = || rest.positions.iter().map(|x| Vector3::from(*x));
        let low = points().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = points().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let n = [0, 1, 2].map(|axis| ((high - low)[axis] / width).ceil().max(1.0) as usize);
        let mut mesh = Self {
            cubes: vec![Vec::new(); n.iter().product()],
            rest,
            low,
            width,
            n,
        };
        for tet in 0..mesh.rest.tets.len() {
            let corners = mesh.rest.corners(tet);
            let low = corners[1..].iter().fold(corners[0], |a, b| a.inf(b));
            let high = corners[1..].iter().fold(corners[0], |a, b| a.sup(b));
            let found: Vec<usize> = mesh.cubes_of(low, high).collect();
            for cube in found {
                mesh.cubes[cube].push(tet as u32);
            }
        }
        mesh
    }

    /// Indices of the cubes that meet a box.
    fn cubes_of(&self, low: Vector3<f64>, high: Vector3<f64>) -> impl Iterator<Item = usize> {
        let n = self.n;
        let place = |x: f64, axis: usize| ((x - self.low[axis]) / self.width).floor();
        let ranges = [0, 1, 2].map(|axis| {
            let first = place(low[axis], axis).max(0.0) as usize;
            // Places below the mesh give an empty range.
            let end = (place(high[axis], axis) + 1.0).clamp(0.0, n[axis] as f64) as usize;
            first..end
        });
        let [x, y, z] = ranges;
        z.flat_map(move |k| {
            let x = x.clone();
            y.clone()
                .flat_map(move |j| x.clone().map(move |i| (k * n[1] + j) * n[0] + i))
        })
    }

    /// The first tetrahedron that contains a place [m], and the weights of its vertices there. `position` of each vertex [m], at most
    /// `reach` from its rest [m].
    pub(super) fn find(
        &self,
        at: Vector3<f64>,
        reach: f64,
        position: impl Fn(usize) -> Vector3<f64>,
    ) -> Option<(u32, [f64; 4])> {
        let around = Vector3::repeat(reach + 1e-9);
        let cubes = self.cubes_of(at - around, at + around);
        let found = cubes.flat_map(|cube| &self.cubes[cube]).filter_map(|tet| {
            let corners = self.rest.tets[*tet as usize].map(|vertex| position(vertex as usize));
            let weights = weights(&corners, at)?;
            weights
                .iter()
                .all(|weight| *weight >= INSIDE)
                .then_some((*tet, weights))
        });
        found.min_by_key(|(tet, _)| *tet)
    }
}

/// Barycentric weights of a place; `None` for corners in a plane.
fn weights([a, b, c, d]: &[Vector3<f64>; 4], at: Vector3<f64>) -> Option<[f64; 4]> {
    let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
    let own = edges.try_inverse()? * (at - a);
    Some([1.0 - own.sum(), own.x, own.y, own.z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_moved_box_is_found_with_its_weights() {
        let rest = TetMesh::cuboid([0.02, 0.03, 0.01], 5e-3).expect("a small mesh");
        let shift = Vector3::new(4e-3, -7e-3, 2e-3);
        let mesh = Mesh::new(rest, 5e-3);
        let position = |vertex: usize| Vector3::from(mesh.rest.positions[vertex]) + shift;
        let at = |share: [f64; 3]| Vector3::new(share[0] * 0.02, share[1] * 0.03, share[2] * 0.01);
        let places = [
            [0.0, 0.0, 0.0],
            [0.99, -0.99, 0.99],
            [-0.37, 0.52, -0.81],
            [1.0, 1.0, 1.0],
        ];
        for place in places.map(at) {
            let (tet, weights) = mesh
                .find(place + shift, 8e-3, position)
                .expect("the place is inside");
            let corners = mesh.rest.corners(tet as usize);
            let sum: Vector3<f64> = corners.iter().zip(weights).map(|(x, w)| x * w).sum();
            assert!((sum - place).norm() < 1e-12, "{place}");
        }
        for place in [[1.01, 0.0, 0.0], [0.0, -1.02, 0.0], [0.3, 0.2, 50.0]].map(at) {
            assert_eq!(mesh.find(place + shift, 8e-3, position), None);
        }
    }
}

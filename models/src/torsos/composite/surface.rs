//! The skin of the shell at rest.

use insonate_meshes::TriangleMesh;

use super::lattice::Lattice;
use super::mapping::{Rest, torso_from_shell};

/// The outer faces in the torso's frame, each cut along its shorter diagonal.
pub(super) fn surface(lattice: &Lattice, rest: &Rest, depth: f64) -> TriangleMesh {
    let positions: Vec<[f64; 3]> = rest
        .positions
        .iter()
        .map(|&position| torso_from_shell(position, depth))
        .collect();
    let gap = |a: usize, b: usize| {
        (0..3)
            .map(|axis| (positions[a][axis] - positions[b][axis]).powi(2))
            .sum::<f64>()
    };
    let triangles = lattice
        .quads()
        .into_iter()
        .flat_map(|[a, b, c, d]| {
            if gap(a, c) <= gap(b, d) {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, b, d], [b, c, d]]
            }
        })
        .map(|triangle| triangle.map(|vertex| vertex as u32))
        .collect();
    TriangleMesh {
        positions,
        triangles,
    }
}

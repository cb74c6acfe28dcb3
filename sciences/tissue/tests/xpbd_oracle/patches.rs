//! Patches of a body whose cubes consist of six tetrahedra each.

use insonate_tissue::xpbd::XpbdBody;
use nalgebra::{Matrix3, Vector3};

use super::{Constraint, Law};

/// Share of the energy that stays with the tetrahedra.
pub(crate) const TET_SHARE: f64 = 0.15;

/// Gradients of the shape functions of a tetrahedron with these edges.
pub(crate) fn shape_gradients(edges: &Matrix3<f64>) -> [Vector3<f64>; 4] {
    let inverse = edges.try_inverse().unwrap();
    let [a, b, c] = [0, 1, 2].map(|k| inverse.row(k).transpose());
    [-a - b - c, a, b, c]
}

/// The mean of each cube of six tetrahedra, starting with the longest diagonal.
pub(crate) fn cubes(body: &XpbdBody, positions: &[Vector3<f64>]) -> Vec<Constraint> {
    let material = &body.material;
    let (mu, lambda) = (material.lame_mu(), material.lame_lambda());
    let share = 1.0 - TET_SHARE;
    let mut cubes: Vec<_> = body.mesh.tets.chunks(6).collect();
    let diagonal = |cube: &[[u32; 4]]| {
        let last = cube[0].iter().max().unwrap();
        (positions[cube[0][0] as usize] - positions[*last as usize]).norm()
    };
    cubes.sort_by(|a, b| diagonal(b).total_cmp(&diagonal(a)));
    let cubes = cubes.into_iter().map(|cube| {
        let mut vertices: Vec<_> = cube.iter().flatten().map(|i| *i as usize).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let (mut sums, mut volumes) = (vec![Vector3::zeros(); 8], 0.0);
        for tet in cube {
            let x = tet.map(|i| positions[i as usize]);
            let edges = Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
            let volume = edges.determinant() / 6.0;
            volumes += volume;
            for (vertex, gradient) in tet.iter().zip(shape_gradients(&edges)) {
                let at = vertices.iter().position(|i| *i == *vertex as usize);
                sums[at.unwrap()] += gradient * volume;
            }
        }
        let gradients = sums.iter().map(|sum| sum / volumes).collect();
        let (mu, lambda) = (share * mu, share * (lambda + mu));
        Constraint {
            vertices,
            law: Law::Solid(gradients, volumes, lambda, mu),
        }
    });
    cubes.collect()
}

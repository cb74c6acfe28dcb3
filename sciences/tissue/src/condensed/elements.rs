//! Stiffness matrix of linear tetrahedra (Zienkiewicz and Taylor 2000, *The Finite Element Method*, volume 1, chapter 6).

use nalgebra::{Matrix3, Vector3};

use crate::mesh::TetMesh;

/// Gradients of the four shape functions [1/m], and the volume [m³].
fn gradients(corners: &[Vector3<f64>; 4]) -> Option<([Vector3<f64>; 4], f64)> {
    let [a, b, c, d] = corners;
    let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
    let volume = edges.determinant() / 6.0;
    let inverse = edges.try_inverse()?;
    let [p, q, r] = [0, 1, 2].map(|row| inverse.row(row).transpose());
    Some(([-(p + q + r), p, q, r], volume))
}

/// The stiffness matrix for a Young's modulus of 1 Pa: its non-zeros `(row, column, value)` [m] with `row >= column`, between unknowns
/// `3 i + axis` of the vertices. Repeats are to be summed.
///
/// `unknowns[vertex]` is the index `i` of a vertex; fixed vertices have none. `factors` are factors of the modulus of the tetrahedra; empty:
/// one for all. `None` if a tetrahedron is flat.
pub(crate) fn stiffness(
    mesh: &TetMesh,
    poisson_ratio: f64,
    factors: &[f64],
    unknowns: &[Option<usize>],
) -> Option<Vec<(usize, usize, f64)>> {
    let mu = 1.0 / (2.0 * (1.0 + poisson_ratio));
    let lambda = poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    let mut entries = Vec::new();
    for (index, tet) in mesh.tets.iter().enumerate() {
        let (gradients, volume) = gradients(&mesh.corners(index))?;
        let weight = volume * factors.get(index).copied().unwrap_or(1.0);
        for (p, &a) in gradients.iter().zip(tet) {
            for (q, &b) in gradients.iter().zip(tet) {
                let (Some(row), Some(column)) = (unknowns[a as usize], unknowns[b as usize]) else {
                    continue;
                };
                // λ p qᵀ + μ (q pᵀ + (p · q) I)
                let block = p * q.transpose() * lambda
                    + (q * p.transpose() + Matrix3::identity() * p.dot(q)) * mu;
                for i in 0..3 {
                    for j in 0..3 {
                        let (row, column) = (3 * row + i, 3 * column + j);
                        if row >= column {
                            entries.push((row, column, weight * block[(i, j)]));
                        }
                    }
                }
            }
        }
    }
    Some(summed(entries))
}

/// Repeated entries added up, in a fixed order.
fn summed(mut entries: Vec<(usize, usize, f64)>) -> Vec<(usize, usize, f64)> {
    entries.sort_by_key(|&(row, column, _)| (row, column));
    entries.dedup_by(|later, first| {
        let is_same = (later.0, later.1) == (first.0, first.1);
        if is_same {
            first.2 += later.2;
        }
        is_same
    });
    entries
}

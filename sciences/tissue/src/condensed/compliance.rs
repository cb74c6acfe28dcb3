//! Columns of the compliance, computed when they are first needed.

use std::sync::OnceLock;

use insonate_sparse::Skyline;
use nalgebra::Vector3;

/// Displacements of free vertices under forces on them, for a Young's modulus of 1 Pa.
#[derive(Debug)]
pub(super) struct Compliance {
    factor: Skyline<f64>,
    n_free: usize,
    /// Index among the free vertices of each vertex of the skin.
    skin: Vec<usize>,
    /// Displacement of all vertices of the skin by unit forces on one of them, along x, y and z: shape `[3, n_skin, 3]` [m/N · Pa].
    columns: Vec<OnceLock<Box<[f64]>>>,
}

impl Compliance {
    /// `skin` are indices of free vertices. `None` if the matrix is not positive definite.
    pub(super) fn new(
        n_free: usize,
        entries: &[(usize, usize, f64)],
        skin: Vec<usize>,
    ) -> Option<Self> {
        Some(Self {
            factor: Skyline::factor(3 * n_free, entries)?,
            n_free,
            columns: skin.iter().map(|_| OnceLock::new()).collect(),
            skin,
        })
    }

    pub(super) fn n_skin(&self) -> usize {
        self.skin.len()
    }

    /// Displacements of the skin by unit forces on one of its vertices, for each axis of the force, shape `[3, n_skin, 3]`.
    pub(super) fn columns(&self, vertex: usize) -> &[f64] {
        self.columns[vertex].get_or_init(|| {
            let mut columns = Vec::with_capacity(9 * self.skin.len());
            for axis in 0..3 {
                let mut x = vec![0.0; 3 * self.n_free];
                x[3 * self.skin[vertex] + axis] = 1.0;
                self.solve(&mut x);
                for &free in &self.skin {
                    columns.extend_from_slice(&x[3 * free..3 * free + 3]);
                }
            }
            columns.into_boxed_slice()
        })
    }

    /// Displacements of all free vertices by forces on the skin, shape `[n_free, 3]`.
    pub(super) fn everywhere(&self, forces: &[Vector3<f64>]) -> Vec<f64> {
        let mut x = vec![0.0; 3 * self.n_free];
        for (&free, force) in self.skin.iter().zip(forces) {
            x[3 * free..3 * free + 3].copy_from_slice(force.as_slice());
        }
        self.solve(&mut x);
        x
    }

    fn solve(&self, x: &mut [f64]) {
        let mut work = vec![0.0; self.factor.work_len()];
        self.factor.solve(x, &mut work);
    }
}

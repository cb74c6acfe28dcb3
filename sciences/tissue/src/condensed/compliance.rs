//! Columns of the compliance, computed when they are first needed.

use std::sync::OnceLock;

use insonate_sparse::{SIDES, Skyline};
use nalgebra::Vector3;

/// Displacements of free vertices under forces on them, for a Young's modulus of 1 Pa.
#[derive(Debug)]
pub(super) struct Compliance {
    factor: Skyline<f64>,
    n_free: usize,
    /// Index among the free vertices of each vertex of the skin.
    skin: Vec<usize>,
    /// Their positions at rest [m].
    positions: Vec<Vector3<f64>>,
    /// Displacement of all vertices of the skin by unit forces on one of them, along x, y and z: shape `[3, n_skin, 3]` [m/N · Pa].
    columns: Vec<OnceLock<Box<[f64]>>>,
}

impl Compliance {
    /// `skin` are indices of free vertices, and `positions` their positions at rest [m]. `None` if the matrix is not positive definite.
    pub(super) fn new(
        n_free: usize,
        entries: &[(usize, usize, f64)],
        skin: Vec<usize>,
        positions: Vec<Vector3<f64>>,
    ) -> Option<Self> {
        Some(Self {
            factor: Skyline::factor(3 * n_free, entries)?,
            n_free,
            columns: skin.iter().map(|_| OnceLock::new()).collect(),
            skin,
            positions,
        })
    }

    pub(super) fn n_skin(&self) -> usize {
        self.skin.len()
    }

    /// Displacements of the skin by unit forces on one of its vertices, for each axis of the force, shape `[3, n_skin, 3]`.
    ///
    /// If they are not known yet, those of neighbours are computed with them, which a tool soon needs too. They do not depend on the
    /// neighbours.
    pub(super) fn columns(&self, vertex: usize) -> &[f64] {
        if self.columns[vertex].get().is_none() {
            let vertices = self.unknown_near(vertex);
            for (&vertex, columns) in vertices.iter().zip(self.solve_columns(&vertices)) {
                // Another thread may have computed the same numbers.
                let _ = self.columns[vertex].set(columns);
            }
        }
        self.columns[vertex].get_or_init(Box::default)
    }

    /// The vertices nearest to a vertex whose columns are not known, as many as are computed at once.
    fn unknown_near(&self, vertex: usize) -> Vec<usize> {
        let distance = |other: usize| (self.positions[other] - self.positions[vertex]).norm();
        let unknown = (0..self.n_skin()).filter(|&it| self.columns[it].get().is_none());
        let mut vertices: Vec<(f64, usize)> = unknown.map(|it| (distance(it), it)).collect();
        vertices.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        vertices.truncate(SIDES / 3);
        vertices.into_iter().map(|(_, vertex)| vertex).collect()
    }

    fn solve_columns(&self, vertices: &[usize]) -> Vec<Box<[f64]>> {
        let mut x = vec![[0.0; SIDES]; 3 * self.n_free];
        for (index, &vertex) in vertices.iter().enumerate() {
            for axis in 0..3 {
                x[3 * self.skin[vertex] + axis][3 * index + axis] = 1.0;
            }
        }
        self.factor.solve_many(&mut x);
        let of_vertex = |index: usize| {
            let sides = 3 * index..3 * index + 3;
            let rows = self.skin.iter().flat_map(|&free| 3 * free..3 * free + 3);
            sides
                .flat_map(|side| rows.clone().map(move |row| (row, side)))
                .map(|(row, side)| x[row][side])
                .collect()
        };
        (0..vertices.len()).map(of_vertex).collect()
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

//! Equilibrium of a linear elastic body, some of whose points are displaced by a known amount.
//!
//! The linear finite elements of [`condensed`](crate::condensed) give $K u = 0$ at the free points; with the known displacements $u_h$ of the
//! held ones, $K_{ff} u_f = -K_{fh} u_h$. Conjugate gradients solve it, with the diagonal as preconditioner (Hestenes and Stiefel 1952,
//! doi:10.6028/jres.049.044): one load of a large body needs no factor. Displacements do not depend on the unit of the modulus.

use insonate_settings::{check_range, check_ranges};

use crate::TissueError;
use crate::condensed::elements::stiffness;
use crate::mesh::TetMesh;

/// Residual at which the equations are solved, relative to that at rest.
const TOLERANCE: f64 = 1e-9;

/// A body of linear tetrahedra.
#[derive(Debug, Clone, Copy)]
pub struct ElasticBody<'a> {
    /// Shape at rest [m].
    pub mesh: &'a TetMesh,
    /// Poisson's ratio ν.
    pub poisson_ratio: f64,
    /// Factor of Young's modulus of each tetrahedron, shape `[n_tets]`; empty: 1 for all.
    pub factors: &'a [f64],
}

/// A known displacement of a vertex along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldAxis {
    /// Vertex.
    pub vertex: u32,
    /// Axis: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Displacement [m].
    pub displacement: f64,
}

impl ElasticBody<'_> {
    /// Displacements of all vertices [m], shape `[n_vertices, 3]`. Axes that are not held are free of forces.
    ///
    /// # Errors
    /// [`TissueError::Setting`]: a number is out of range, a tetrahedron is flat or inverted, or the held axes leave a part of the body loose.
    pub fn displacements(&self, held: &[HeldAxis]) -> Result<Vec<[f64; 3]>, TissueError> {
        self.check(held)?;
        let n = self.mesh.positions.len();
        let mut moved = vec![[0.0; 3]; n];
        let mut place: Vec<Option<usize>> = vec![Some(0); 3 * n];
        for it in held {
            moved[it.vertex as usize][it.axis] = it.displacement;
            place[3 * it.vertex as usize + it.axis] = None;
        }
        let mut n_free = 0;
        for index in place.iter_mut().flatten() {
            *index = n_free;
            n_free += 1;
        }
        let all: Vec<Option<usize>> = (0..n).map(Some).collect();
        let entries = stiffness(self.mesh, self.poisson_ratio, self.factors, &all)
            .ok_or_else(|| TissueError::setting("mesh", "a flat tetrahedron", UPRIGHT))?;
        let mut load = vec![0.0; n_free];
        let mut free = Vec::with_capacity(entries.len());
        for (row, column, value) in entries {
            match (place[row], place[column]) {
                (Some(row), Some(column)) => free.push((row, column, value)),
                (Some(row), None) => load[row] -= value * moved[column / 3][column % 3],
                (None, Some(column)) => load[column] -= value * moved[row / 3][row % 3],
                (None, None) => {}
            }
        }
        let found = Rows::new(n_free, &free).solve(&load).ok_or_else(|| {
            TissueError::setting("held", held.len(), "axes that hold all parts of the body")
        })?;
        for (index, place) in place.iter().enumerate() {
            if let Some(place) = place {
                moved[index / 3][index % 3] = found[*place];
            }
        }
        Ok(moved)
    }

    fn check(&self, held: &[HeldAxis]) -> Result<(), TissueError> {
        let (n_vertices, n_tets) = (self.mesh.positions.len(), self.mesh.tets.len());
        check_range("poisson_ratio", self.poisson_ratio, [0.0, 0.49], "")?;
        if !self.factors.is_empty() && self.factors.len() != n_tets {
            let number = format!("one for each of {n_tets} tetrahedra");
            return Err(TissueError::setting("factors", self.factors.len(), number));
        }
        let factors = self.factors.iter();
        check_ranges(
            "",
            factors.map(|&factor| ("factors", factor, [1e-6, 1e6], "")),
        )?;
        if let Some(it) = held
            .iter()
            .find(|it| it.vertex as usize >= n_vertices || it.axis > 2)
        {
            let allowed = format!("a vertex below {n_vertices} and an axis below 3");
            return Err(TissueError::setting("held", format!("{it:?}"), allowed));
        }
        for it in held {
            check_range("held.displacement", it.displacement, [-10.0, 10.0], "m")?;
        }
        if self.mesh.volumes().iter().any(|&volume| volume <= 0.0) {
            return Err(TissueError::setting(
                "mesh",
                "an inverted tetrahedron",
                UPRIGHT,
            ));
        }
        Ok(())
    }
}

const UPRIGHT: &str = "of positive volume";

/// A symmetric sparse matrix: the non-zeros of each row.
struct Rows {
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
    diagonal: Vec<f64>,
}

impl Rows {
    /// From non-zeros with `row >= column`.
    fn new(n: usize, lower: &[(usize, usize, f64)]) -> Self {
        let both = |&(row, column, value): &(usize, usize, f64)| {
            let other = (row != column).then_some((column, row, value));
            [Some((row, column, value)), other].into_iter().flatten()
        };
        let mut starts = vec![0; n + 1];
        let mut diagonal = vec![0.0; n];
        for (row, column, value) in lower.iter().flat_map(both) {
            starts[row + 1] += 1;
            if row == column {
                diagonal[row] = value;
            }
        }
        for row in 0..n {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); starts[n]];
        for (row, column, value) in lower.iter().flat_map(both) {
            entries[next[row]] = (column, value);
            next[row] += 1;
        }
        Self {
            starts,
            entries,
            diagonal,
        }
    }

    fn times(&self, x: &[f64], into: &mut [f64]) {
        for (sum, range) in into.iter_mut().zip(self.starts.windows(2)) {
            let row = self.entries[range[0]..range[1]].iter();
            *sum = row.map(|&(column, value)| value * x[column]).sum();
        }
    }

    /// The solution for a right side; `None` if the matrix is not positive definite.
    fn solve(&self, load: &[f64]) -> Option<Vec<f64>> {
        let n = load.len();
        let mut x = vec![0.0; n];
        if self.diagonal.iter().any(|value| *value <= 0.0) {
            return None;
        }
        let scaled =
            |r: &[f64]| -> Vec<f64> { r.iter().zip(&self.diagonal).map(|(r, d)| r / d).collect() };
        let mut residual = load.to_vec();
        let mut way = scaled(&residual);
        let mut energy = dot(&residual, &way);
        let goal = TOLERANCE * TOLERANCE * energy;
        let mut product = vec![0.0; n];
        // In exact arithmetic it takes at most `n` steps.
        for _ in 0..2 * n {
            if energy <= goal {
                return Some(x);
            }
            self.times(&way, &mut product);
            let stiffness = dot(&way, &product);
            if stiffness <= 0.0 {
                return None;
            }
            let step = energy / stiffness;
            add(&mut x, step, &way);
            add(&mut residual, -step, &product);
            let toward = scaled(&residual);
            let left = dot(&residual, &toward);
            for (way, toward) in way.iter_mut().zip(&toward) {
                *way = toward + left / energy * *way;
            }
            energy = left;
        }
        (energy <= goal).then_some(x)
    }
}

fn add(sum: &mut [f64], factor: f64, other: &[f64]) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += factor * other;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

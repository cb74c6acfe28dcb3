//! The shell's constant matrices.

use insonate_sparse::Skyline;

use super::couplings::{Couplings, Ties};
use super::rows::{EqualityRow, products};

/// Rows with more terms than this are rank-one updates of the sparse matrix.
const DENSE_ROW: usize = 8;

/// A shell has one such row, its volume constraint.
pub(super) const MAX_DENSE_ROWS: usize = 4;

/// A linear network: masses tied by soft rows, $A a = f_0 - D v - K q$ with $A = M + J^T R^{-1} J$.
///
/// $K$ and $D$ are sums over kinds of rows, $\sum_c k_c P_c$ and $\sum_c b_c P_c$ with $P_c = J_c^T R_c^{-1} J_c$: the matrices are
/// constant, and the numbers $k_c$ and $b_c$ are in [`super::tuning::Tuning`].
/// The terms of the driver are also there; the matrices here do not include the driver.
#[derive(Debug)]
pub(super) struct Network {
    /// Force at `q = v = 0` without the nodes' own springs: gravity [N].
    pub(super) force: Vec<f64>,
    /// The nodes' own springs as compiled.
    pub(super) springs: Vec<Spring>,
    /// Ties of the nodes to rest.
    pub(super) ties: Ties,
    /// Couplings of few nodes; the first one makes neighbours slide alike if [`Self::has_neighbors`].
    pub(super) couplings: Vec<Couplings>,
    pub(super) has_neighbors: bool,
    pub(super) dense_rows: Vec<DenseRow>,
    /// Diagonal of $M$ [kg], shape `[n]`.
    pub(super) mass: Vec<f64>,
    factor: Skyline<f64>,
    /// The factor in single precision.
    rough_factor: Skyline<f32>,
    /// `A⁻¹`, row-major, shape `[n, n]`.
    inverse: Vec<f64>,
}

/// A row with many terms, such as the volume constraint.
#[derive(Debug)]
pub(super) struct DenseRow {
    /// Coefficient of each node; 0 for the driver of the ties.
    pub(super) coefficients: Vec<f64>,
    /// Coefficient of the driver of the ties, as compiled.
    pub(super) driver: f64,
    /// `1 / R` [kg].
    pub(super) weight: f64,
    /// Stiffness / R and damping / R.
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    /// `S⁻¹ u / sqrt(R + uᵀ S⁻¹ u)` of the Sherman–Morrison formula, with the previous rows included in `S`.
    correction: Vec<f64>,
}

/// The spring of a joint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spring {
    pub(super) node: usize,
    /// Stiffness [N/m].
    pub(super) stiffness: f64,
    /// Rest position [m].
    pub(super) rest: f64,
}

impl Network {
    /// Assembles and factors; `None` if the matrix is not positive definite or has too many rows with many terms.
    ///
    /// The first `n_capsules` nodes are the surface; `force` does not include the springs.
    pub(super) fn new(
        mass: &[f64],
        mut force: Vec<f64>,
        springs: Vec<Spring>,
        rows: &[EqualityRow],
        n_capsules: usize,
    ) -> Option<Self> {
        let n = mass.len();
        let (dense, sparse): (Vec<&EqualityRow>, Vec<&EqualityRow>) =
            rows.iter().partition(|row| row.terms.len() > DENSE_ROW);
        if dense.len() > MAX_DENSE_ROWS {
            return None;
        }
        for row in rows {
            let pull = row.law.stiffness * row.position / row.regularization;
            row.terms
                .iter()
                .for_each(|&(node, coefficient)| force[node] -= coefficient * pull);
        }
        let (ties, rest) = Ties::new(n, n_capsules, sparse);
        let diagonal = mass
            .iter()
            .zip(&ties.weight)
            .enumerate()
            .map(|(node, (&mass, &weight))| (node, node, mass + weight));
        let lower: Vec<_> = diagonal
            .chain(products(&rest))
            .filter(|(row, column, _)| row >= column)
            .collect();
        let factor = Skyline::factor(n, &lower)?;
        let (couplings, has_neighbors) = Couplings::sort(n, n_capsules, rest);
        let mut network = Self {
            force,
            springs,
            ties,
            couplings,
            has_neighbors,
            dense_rows: Vec::new(),
            mass: mass.to_vec(),
            rough_factor: factor.to_single(),
            factor,
            inverse: Vec::new(),
        };
        for row in dense {
            network.add_dense_row(row);
        }
        network.inverse = network.invert();
        Some(network)
    }

    /// Whether the softness varies over the skin.
    pub(super) fn varies(&self) -> bool {
        self.ties.varies || self.couplings.iter().any(|some| some.varies)
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.force.len()
    }

    /// Scratch memory for [`Self::solve`], at least [`Self::len`] numbers.
    pub(super) fn scratch(&self) -> Vec<f64> {
        vec![0.0; self.len().max(self.factor.work_len())]
    }

    /// Scratch memory for [`Self::solve_roughly`].
    pub(super) fn rough_scratch(&self) -> Vec<f32> {
        vec![0.0; self.rough_factor.work_len()]
    }

    /// `A⁻¹[i, ·]`, equal to `A⁻¹[·, i]` [1/kg], shape `[n]`; without the driver.
    pub(super) fn inverse_row(&self, node: usize) -> &[f64] {
        &self.inverse[node * self.len()..(node + 1) * self.len()]
    }

    /// Replaces `x` by `A⁻¹ x`, without the driver.
    pub(super) fn solve(&self, x: &mut [f64], work: &mut [f64]) {
        let shares = self.shares(x);
        self.factor.solve(x, work);
        self.correct(&shares, x);
    }

    /// As [`Self::solve`], in single precision and faster.
    #[inline]
    pub(super) fn solve_roughly(&self, x: &mut [f64], work: &mut [f32]) {
        let shares = self.shares(x);
        self.rough_factor.solve(x, work);
        self.correct(&shares, x);
    }

    /// Factor of each dense row's correction for `x`: the correction is S⁻¹ u / sqrt(…), so uᵀ S⁻¹ x follows from `x` directly.
    fn shares(&self, x: &[f64]) -> [f64; MAX_DENSE_ROWS] {
        let mut shares = [0.0; MAX_DENSE_ROWS];
        for (share, row) in shares.iter_mut().zip(&self.dense_rows) {
            *share = dot(&row.correction, x);
        }
        shares
    }

    fn correct(&self, shares: &[f64; MAX_DENSE_ROWS], x: &mut [f64]) {
        for (share, row) in shares.iter().zip(&self.dense_rows) {
            for (entry, correction) in x.iter_mut().zip(&row.correction) {
                *entry -= share * correction;
            }
        }
    }

    fn add_dense_row(&mut self, row: &EqualityRow) {
        let mut coefficients = vec![0.0; self.len()];
        for &(node, coefficient) in &row.terms {
            coefficients[node] += coefficient;
        }
        let driver = self
            .ties
            .driver
            .map_or(0.0, |driver| std::mem::take(&mut coefficients[driver]));
        let mut correction = coefficients.clone();
        self.solve(&mut correction, &mut self.scratch());
        let compliance = dot(&correction, &coefficients);
        let scale = 1.0 / (row.regularization + compliance).sqrt();
        for entry in &mut correction {
            *entry *= scale;
        }
        self.dense_rows.push(DenseRow {
            coefficients,
            driver,
            weight: 1.0 / row.regularization,
            stiffness: row.law.stiffness / row.regularization,
            damping: row.law.damping / row.regularization,
            correction,
        });
    }

    fn invert(&self) -> Vec<f64> {
        let n = self.len();
        let mut inverse = vec![0.0; n * n];
        let mut work = self.scratch();
        for (node, column) in inverse.chunks_exact_mut(n).enumerate() {
            column[node] = 1.0;
            self.solve(column, &mut work);
        }
        inverse
    }
}

/// Dot product in eight partial sums: it vectorises and gives the same bits on every machine.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sums = [0.0; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f64 = a_chunks
        .remainder()
        .iter()
        .zip(b_chunks.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = sums;
    ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)) + tail
}

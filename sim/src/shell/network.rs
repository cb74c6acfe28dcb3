//! The shell's constant matrices and its acceleration without contact.

use super::rows::Row;
use super::skyline::Skyline;

/// Rows with more terms than this are kept apart from the sparse matrix, as rank-one terms.
const DENSE_ROW: usize = 8;

/// A shell has one such row, its volume constraint.
const MAX_DENSE_ROWS: usize = 4;

/// A linear network: masses tied by soft rows, $A a = f_0 - D v - K q$ with $A = M + J^T R^{-1} J$.
#[derive(Debug)]
pub(super) struct Network {
    n: usize,
    /// Force at `q = v = 0`: gravity, springs' rest [N].
    rest_force: Vec<f64>,
    /// Sparse parts of `K` [N/m] and `D` [N·s/m], rows one after another.
    row_start: Vec<usize>,
    columns: Vec<usize>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    dense_rows: Vec<DenseRow>,
    factor: Skyline,
    /// `A⁻¹`, row-major, shape `[n, n]`.
    inverse: Vec<f64>,
}

/// A row with many terms, such as the volume constraint.
#[derive(Debug)]
struct DenseRow {
    coefficients: Vec<f64>,
    /// Stiffness / R and damping / R.
    stiffness: f64,
    damping: f64,
    /// `S⁻¹ u / sqrt(R + uᵀ S⁻¹ u)` of the Sherman–Morrison formula, given the rows before this one.
    correction: Vec<f64>,
}

/// A spring of a joint's own [N/m].
pub(super) struct Spring {
    pub(super) node: usize,
    pub(super) stiffness: f64,
}

impl Network {
    /// Assembles and factors; `None` when the matrix is not positive definite or too many rows have many terms.
    pub(super) fn new(
        mass: &[f64],
        mut rest_force: Vec<f64>,
        springs: &[Spring],
        rows: &[Row],
    ) -> Option<Self> {
        let n = mass.len();
        let (dense, sparse): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| row.terms.len() > DENSE_ROW);
        if dense.len() > MAX_DENSE_ROWS {
            return None;
        }
        for row in rows {
            let pull = row.stiffness * row.position / row.regularization;
            row.terms
                .iter()
                .for_each(|&(node, coefficient)| rest_force[node] -= coefficient * pull);
        }
        let inertia = mass
            .iter()
            .enumerate()
            .map(|(node, &mass)| (node, node, mass));
        let entries: Vec<_> = inertia
            .chain(products(&sparse, |row| 1.0 / row.regularization))
            .collect();
        let lower: Vec<_> = entries
            .into_iter()
            .filter(|(row, column, _)| row >= column)
            .collect();
        let factor = Skyline::factor(n, &lower)?;

        let spring = springs
            .iter()
            .map(|spring| (spring.node, spring.node, spring.stiffness));
        let stiffness = spring.chain(products(&sparse, |row| row.stiffness / row.regularization));
        let damping = products(&sparse, |row| row.damping / row.regularization);
        let mut triplets: Vec<(usize, usize, f64, f64)> = stiffness
            .map(|(i, j, value)| (i, j, value, 0.0))
            .chain(damping.map(|(i, j, value)| (i, j, 0.0, value)))
            .collect();
        triplets.sort_by_key(|&(i, j, ..)| (i, j));
        triplets.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
                kept.3 += next.3;
            }
            same
        });
        let mut row_start = vec![0; n + 1];
        for &(i, ..) in &triplets {
            row_start[i + 1] += 1;
        }
        for i in 0..n {
            row_start[i + 1] += row_start[i];
        }
        let mut network = Self {
            n,
            rest_force,
            row_start,
            columns: triplets.iter().map(|t| t.1).collect(),
            stiffness: triplets.iter().map(|t| t.2).collect(),
            damping: triplets.iter().map(|t| t.3).collect(),
            dense_rows: Vec::new(),
            factor,
            inverse: Vec::new(),
        };
        for row in dense {
            network.add_dense_row(row);
        }
        network.inverse = network.invert();
        Some(network)
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// `A⁻¹[i, ·]`, which is `A⁻¹[·, i]` too [1/kg], shape `[n]`.
    pub(super) fn inverse_row(&self, node: usize) -> &[f64] {
        &self.inverse[node * self.n..(node + 1) * self.n]
    }

    /// Acceleration without contact [m/s²] from displacements [m] and velocities [m/s].
    pub(super) fn smooth_acceleration(
        &self,
        q: &[f64],
        v: &[f64],
        acceleration: &mut [f64],
        work: &mut [f64],
    ) {
        for (node, entry) in acceleration.iter_mut().enumerate() {
            let range = self.row_start[node]..self.row_start[node + 1];
            let terms = self.columns[range.clone()]
                .iter()
                .zip(&self.stiffness[range.clone()])
                .zip(&self.damping[range]);
            let pull: f64 = terms
                .map(|((&other, stiffness), damping)| stiffness * q[other] + damping * v[other])
                .sum();
            *entry = self.rest_force[node] - pull;
        }
        for row in &self.dense_rows {
            let stretch =
                |x: &[f64]| -> f64 { row.coefficients.iter().zip(x).map(|(c, x)| c * x).sum() };
            let pull = row.stiffness * stretch(q) + row.damping * stretch(v);
            for (entry, coefficient) in acceleration.iter_mut().zip(&row.coefficients) {
                *entry -= pull * coefficient;
            }
        }
        self.solve(acceleration, work);
    }

    /// Replaces `x` by `A⁻¹ x`.
    fn solve(&self, x: &mut [f64], work: &mut [f64]) {
        // The correction is S⁻¹ u / sqrt(…), so uᵀ S⁻¹ x follows from x itself.
        let mut shares = [0.0; MAX_DENSE_ROWS];
        for (share, row) in shares.iter_mut().zip(&self.dense_rows) {
            *share = row
                .correction
                .iter()
                .zip(x.iter())
                .map(|(c, x)| c * x)
                .sum();
        }
        self.factor.solve(x, work);
        for (share, row) in shares.iter().zip(&self.dense_rows) {
            for (entry, correction) in x.iter_mut().zip(&row.correction) {
                *entry -= share * correction;
            }
        }
    }

    fn add_dense_row(&mut self, row: &Row) {
        let mut coefficients = vec![0.0; self.n];
        for &(node, coefficient) in &row.terms {
            coefficients[node] += coefficient;
        }
        let mut correction = coefficients.clone();
        self.solve(&mut correction, &mut vec![0.0; self.n]);
        let compliance: f64 = correction
            .iter()
            .zip(&coefficients)
            .map(|(a, b)| a * b)
            .sum();
        let scale = 1.0 / (row.regularization + compliance).sqrt();
        for entry in &mut correction {
            *entry *= scale;
        }
        self.dense_rows.push(DenseRow {
            coefficients,
            stiffness: row.stiffness / row.regularization,
            damping: row.damping / row.regularization,
            correction,
        });
    }

    fn invert(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.n * self.n];
        let mut work = vec![0.0; self.n];
        for (node, column) in inverse.chunks_exact_mut(self.n).enumerate() {
            column[node] = 1.0;
            self.solve(column, &mut work);
        }
        inverse
    }
}

/// All products of two terms of a row, weighted.
fn products<'a>(
    rows: &'a [&Row],
    weight: impl Fn(&Row) -> f64 + 'a,
) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
    rows.iter().flat_map(move |row| {
        let weight = weight(row);
        row.terms
            .iter()
            .flat_map(move |&(i, a)| row.terms.iter().map(move |&(j, b)| (i, j, weight * a * b)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(terms: Vec<(usize, f64)>, regularization: f64) -> Row {
        Row {
            equality: 0,
            terms,
            regularization,
            stiffness: 100.0,
            damping: 5.0,
            position: 0.0,
        }
    }

    /// A ring of twelve nodes tied to rest, to their neighbours, and by one row over all of them.
    fn ring() -> (Vec<f64>, Vec<Row>) {
        let n = 12;
        let mut rows: Vec<Row> = (0..n).map(|i| row(vec![(i, 1.0)], 2.0)).collect();
        rows.extend((0..n).map(|i| row(vec![(i, 1.0), ((i + 1) % n, -1.0)], 0.5)));
        rows.push(row(
            (0..n).map(|i| (i, 1.0 + 0.1 * i as f64)).collect(),
            0.1,
        ));
        rows.push(row((0..n).map(|i| (i, (i as f64).cos())).collect(), 0.3));
        ((0..n).map(|i| 0.1 + 0.01 * i as f64).collect(), rows)
    }

    #[test]
    fn the_acceleration_satisfies_the_equation_of_motion() {
        let (mass, rows) = ring();
        let gravity: Vec<f64> = mass.iter().map(|m| -9.81 * m).collect();
        let springs = [Spring {
            node: 3,
            stiffness: 40.0,
        }];
        let network = Network::new(&mass, gravity.clone(), &springs, &rows).unwrap();
        let q: Vec<f64> = (0..12).map(|i| f64::from(i).sin() * 0.01).collect();
        let v: Vec<f64> = (0..12).map(|i| (2.0 * f64::from(i)).cos() * 0.1).collect();
        let (mut a, mut work) = (vec![0.0; 12], vec![0.0; 12]);
        network.smooth_acceleration(&q, &v, &mut a, &mut work);
        let mut residual: Vec<f64> = (0..12).map(|i| mass[i] * a[i] - gravity[i]).collect();
        residual[3] += 40.0 * q[3];
        for row in &rows {
            let along = |x: &[f64]| row.terms.iter().map(|&(i, c)| c * x[i]).sum::<f64>();
            let force = (along(&a) + row.damping * along(&v) + row.stiffness * along(&q))
                / row.regularization;
            row.terms
                .iter()
                .for_each(|&(i, c)| residual[i] += c * force);
        }
        assert!(residual.iter().all(|r| r.abs() < 1e-11), "{residual:?}");
        let column = network.inverse_row(5);
        assert!((column[7] - network.inverse_row(7)[5]).abs() < 1e-14);
    }
}

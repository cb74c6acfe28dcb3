//! The shell's constant matrices and its acceleration without contact.

use super::couplings::{Couplings, Ties};
use super::rows::Row;
use super::skyline::Skyline;
use super::tuning::Tuning;

/// Rows with more terms than this are kept apart from the sparse matrix, as rank-one terms.
const DENSE_ROW: usize = 8;

/// A shell has one such row, its volume constraint.
pub(super) const MAX_DENSE_ROWS: usize = 4;

/// A linear network: masses tied by soft rows, $A a = f_0 - D v - K q$ with $A = M + J^T R^{-1} J$.
///
/// $K$ and $D$ are sums over kinds of rows, $\sum_c k_c P_c$ and $\sum_c b_c P_c$ with $P_c = J_c^T R_c^{-1} J_c$: the matrices are
/// constant, the numbers $k_c$ and $b_c$ stand in a [`Tuning`].
/// So does all that ties and dense rows have to do with the node that drives the ties; the matrices here are without it.
#[derive(Debug)]
pub(super) struct Network {
    /// Force at `q = v = 0` without the nodes' own springs: gravity [N].
    pub(super) force: Vec<f64>,
    /// The nodes' own springs as compiled.
    pub(super) springs: Vec<Spring>,
    /// What holds the nodes at rest.
    pub(super) ties: Ties,
    /// What else couples few nodes; the first makes neighbours slide alike, if [`Self::has_neighbors`].
    pub(super) couplings: Vec<Couplings>,
    pub(super) has_neighbors: bool,
    pub(super) dense_rows: Vec<DenseRow>,
    factor: Skyline,
    /// `A⁻¹`, row-major, shape `[n, n]`.
    inverse: Vec<f64>,
}

/// A row with many terms, such as the volume constraint.
#[derive(Debug)]
pub(super) struct DenseRow {
    /// Coefficient of each node; 0 for the driver of the ties.
    pub(super) coefficients: Vec<f64>,
    /// Coefficient of that driver as compiled.
    pub(super) driver: f64,
    /// `1 / R` [kg].
    pub(super) weight: f64,
    /// Stiffness / R and damping / R.
    stiffness: f64,
    damping: f64,
    /// `S⁻¹ u / sqrt(R + uᵀ S⁻¹ u)` of the Sherman–Morrison formula, given the rows before this one.
    correction: Vec<f64>,
}

/// A spring of a joint's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spring {
    pub(super) node: usize,
    /// [N/m]
    pub(super) stiffness: f64,
    /// Where it rests [m].
    pub(super) rest: f64,
}

impl Network {
    /// Assembles and factors; `None` when the matrix is not positive definite or too many rows have many terms.
    ///
    /// The first `n_capsules` nodes are the surface; `force` is without the springs.
    pub(super) fn new(
        mass: &[f64],
        mut force: Vec<f64>,
        springs: Vec<Spring>,
        rows: &[Row],
        n_capsules: usize,
    ) -> Option<Self> {
        let n = mass.len();
        let (dense, sparse): (Vec<&Row>, Vec<&Row>) =
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
        self.force.len()
    }

    /// Room for all that works with it, at least [`Self::len`] numbers.
    pub(super) fn room(&self) -> Vec<f64> {
        vec![0.0; self.len().max(self.factor.work_len())]
    }

    /// `A⁻¹[i, ·]`, which is `A⁻¹[·, i]` too [1/kg], shape `[n]`; without the driver.
    pub(super) fn inverse_row(&self, node: usize) -> &[f64] {
        &self.inverse[node * self.len()..(node + 1) * self.len()]
    }

    /// Acceleration without contact [m/s²] from displacements [m] and velocities [m/s].
    pub(super) fn smooth_acceleration(
        &self,
        tuning: &Tuning,
        q: &[f64],
        v: &[f64],
        acceleration: &mut [f64],
        work: &mut [f64],
    ) {
        acceleration.copy_from_slice(&tuning.rest_force);
        for spring in &tuning.springs {
            acceleration[spring.node] -= spring.stiffness * q[spring.node];
        }
        self.ties
            .pull(tuning.tie, tuning.reach(), q, v, acceleration);
        for (couplings, law) in self.couplings.iter().zip(&tuning.couplings) {
            couplings.pull(*law, q, v, acceleration, work);
        }
        for (index, row) in self.dense_rows.iter().enumerate() {
            let (driver, own) = tuning.dense_driver(index);
            let stretch = |x: &[f64]| dot(&row.coefficients, x) + own * x[driver];
            let pull = row.stiffness * stretch(q) + row.damping * stretch(v);
            for (entry, coefficient) in acceleration.iter_mut().zip(&row.coefficients) {
                *entry -= pull * coefficient;
            }
            acceleration[driver] -= pull * own;
        }
        match &tuning.driven {
            None => self.solve(acceleration, work),
            Some(driven) => driven.solve(self, acceleration, work),
        }
    }

    /// Replaces `x` by `A⁻¹ x`, without the driver.
    pub(super) fn solve(&self, x: &mut [f64], work: &mut [f64]) {
        // The correction is S⁻¹ u / sqrt(…), so uᵀ S⁻¹ x follows from x itself.
        let mut shares = [0.0; MAX_DENSE_ROWS];
        for (share, row) in shares.iter_mut().zip(&self.dense_rows) {
            *share = dot(&row.correction, x);
        }
        self.factor.solve(x, work);
        for (share, row) in shares.iter().zip(&self.dense_rows) {
            for (entry, correction) in x.iter_mut().zip(&row.correction) {
                *entry -= share * correction;
            }
        }
    }

    fn add_dense_row(&mut self, row: &Row) {
        let mut coefficients = vec![0.0; self.len()];
        for &(node, coefficient) in &row.terms {
            coefficients[node] += coefficient;
        }
        let driver = self
            .ties
            .driver
            .map_or(0.0, |driver| std::mem::take(&mut coefficients[driver]));
        let mut correction = coefficients.clone();
        self.solve(&mut correction, &mut self.room());
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
        let mut work = self.room();
        for (node, column) in inverse.chunks_exact_mut(n).enumerate() {
            column[node] = 1.0;
            self.solve(column, &mut work);
        }
        inverse
    }
}

/// All products of two terms of a row, over its regularisation: the entries of $J^T R^{-1} J$.
pub(super) fn products<'a>(rows: &'a [&Row]) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
    rows.iter().flat_map(|row| {
        let weight = 1.0 / row.regularization;
        row.terms
            .iter()
            .flat_map(move |&(i, a)| row.terms.iter().map(move |&(j, b)| (i, j, weight * a * b)))
    })
}

/// Sum of products in eight running sums: fit for vector instructions, and the same on every machine.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::rows::Law;

    fn row(terms: Vec<(usize, f64)>, regularization: f64) -> Row {
        Row {
            equality: 0,
            terms,
            regularization,
            law: Law {
                stiffness: 100.0,
                damping: 5.0,
            },
            solref: [-100.0, -5.0],
            impedance: 0.9,
            position: 0.0,
        }
    }

    /// A ring of twelve nodes tied to rest, to their neighbours, and by one row over all of them; the last node drives the others.
    fn ring() -> (Vec<f64>, Vec<Row>) {
        let n = 12;
        let mut rows: Vec<Row> = (0..n)
            .map(|i| row(vec![(i, 1.0), (n, -0.01 * i as f64 - 0.02)], 2.0))
            .collect();
        rows.extend((0..n).map(|i| row(vec![(i, 1.0), ((i + 1) % n, -1.0)], 0.5)));
        rows.push(row(
            (0..n).map(|i| (i, 1.0 + 0.1 * i as f64)).collect(),
            0.1,
        ));
        rows.push(row((0..=n).map(|i| (i, (i as f64).cos())).collect(), 0.3));
        let mut offset = row(vec![(2, 1.0), (5, 2.0)], 0.7);
        offset.position = 0.03;
        rows.push(offset);
        ((0..=n).map(|i| 0.1 + 0.01 * i as f64).collect(), rows)
    }

    /// What the equation of motion leaves over [N].
    fn residual(
        mass: &[f64],
        rows: &[Row],
        springs: &[Spring],
        force: &[f64],
        [q, v, a]: [&[f64]; 3],
    ) -> Vec<f64> {
        let mut residual: Vec<f64> = (0..mass.len()).map(|i| mass[i] * a[i] - force[i]).collect();
        for spring in springs {
            residual[spring.node] += spring.stiffness * (q[spring.node] - spring.rest);
        }
        for row in rows {
            let along = |x: &[f64]| row.terms.iter().map(|&(i, c)| c * x[i]).sum::<f64>();
            let force = (along(a)
                + row.law.damping * along(v)
                + row.law.stiffness * (along(q) + row.position))
                / row.regularization;
            row.terms
                .iter()
                .for_each(|&(i, c)| residual[i] += c * force);
        }
        residual
    }

    #[test]
    fn the_acceleration_satisfies_the_equation_of_motion_as_compiled_and_retuned() {
        let (mass, mut rows) = ring();
        let n = mass.len();
        let gravity: Vec<f64> = mass.iter().map(|m| -9.81 * m).collect();
        let springs = [Spring {
            node: 12,
            stiffness: 40.0,
            rest: 0.5,
        }];
        let network = Network::new(&mass, gravity.clone(), springs.to_vec(), &rows, 12).unwrap();
        let q: Vec<f64> = (0..n).map(|i| (i as f64).sin() * 0.01).collect();
        let v: Vec<f64> = (0..n).map(|i| (2.0 * i as f64).cos() * 0.1).collect();
        let (mut a, mut work) = (vec![0.0; n], network.room());
        let mut tuning = Tuning::new(&network);
        network.smooth_acceleration(&tuning, &q, &v, &mut a, &mut work);
        let left = residual(&mass, &rows, &springs, &gravity, [&q, &v, &a]);
        assert!(left.iter().all(|r| r.abs() < 1e-11), "{left:?}");
        // Other laws, and another reach of the driver.
        let (tie, neighbor) = (
            Law {
                stiffness: 300.0,
                damping: 1.0,
            },
            Law {
                stiffness: 7.0,
                damping: 9.0,
            },
        );
        tuning.tie = tie;
        tuning.couplings[0] = neighbor;
        let reach: Vec<f64> = (0..12).map(|i| 0.3 - 0.02 * f64::from(i)).collect();
        tuning.drive(&network, &reach, 2.0, &mut work);
        for i in 0..12 {
            rows[i].law = tie;
            rows[i].terms[1].1 = -reach[i];
            rows[12 + i].law = neighbor;
        }
        let dense = rows.iter_mut().filter(|row| row.terms.len() > 12);
        dense.for_each(|row| row.terms[12].1 *= 2.0);
        network.smooth_acceleration(&tuning, &q, &v, &mut a, &mut work);
        let left = residual(&mass, &rows, &springs, &gravity, [&q, &v, &a]);
        assert!(left.iter().all(|r| r.abs() < 1e-11), "{left:?}");

        // The inverse satisfies the same equation: a force of 2.5 N on the fifth node, at rest and without other forces.
        let mut push = vec![0.0; n];
        tuning.push(&network, 4, 2.5, &mut push);
        let (zeros, mut force) = (vec![0.0; n], vec![0.0; n]);
        force[4] = 2.5;
        rows.last_mut().unwrap().position = 0.0;
        let left = residual(&mass, &rows, &[], &force, [&zeros, &zeros, &push]);
        assert!(left.iter().all(|r| r.abs() < 1e-12), "{left:?}");
        for (i, push) in push.iter().enumerate() {
            for got in [
                tuning.inverse(&network, i, 4),
                tuning.inverse(&network, 4, i),
            ] {
                assert!((2.5 * got - push).abs() < 1e-13, "{i}");
            }
        }
    }
}

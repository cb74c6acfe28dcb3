//! Rows of few nodes: ties of single nodes to rest, and couplings between nodes.

#![expect(
    clippy::inline_always,
    reason = "loops must be part of the function that has the processor's features"
)]

use super::rows::{EqualityRow, SpringDamper, products};

/// Rows that each tie one node of the surface to rest, with the same stiffness and damping per weight; with a driver, to the driver's position times
/// a reach.
#[derive(Debug, Default)]
pub(super) struct Ties {
    pub(super) law: SpringDamper,
    pub(super) impedance: f64,
    /// Whether the impedances of the rows differ.
    pub(super) varies: bool,
    /// MuJoCo's `solref`.
    pub(super) solref: [f64; 2],
    /// `1 / R` by node [kg]; 0 for a node without a tie. Shape `[n]`.
    pub(super) weight: Vec<f64>,
    /// Displacement of each node per unit of the driver. Shape `[n]`.
    pub(super) reach: Vec<f64>,
    /// The node to which all ties refer, such as the node of a breath.
    pub(super) driver: Option<usize>,
}

impl Ties {
    /// Separates the ties from the rows; returns the ties and the other rows.
    pub(super) fn new(
        n: usize,
        n_capsules: usize,
        rows: Vec<&EqualityRow>,
    ) -> (Self, Vec<&EqualityRow>) {
        let mut ties = Self {
            weight: vec![0.0; n],
            reach: vec![0.0; n],
            ..Self::default()
        };
        let others = rows
            .into_iter()
            .filter(|row| ties.take(n_capsules, row).is_none())
            .collect();
        (ties, others)
    }

    /// Adds a row if it is a tie with the same parameters as the previous ties.
    fn take(&mut self, n_capsules: usize, row: &EqualityRow) -> Option<()> {
        let (node, follow) = match *row.terms.as_slice() {
            [(node, 1.0)] => (node, None),
            [(node, 1.0), (driver, c)] | [(driver, c), (node, 1.0)] if driver >= n_capsules => {
                (node, Some((driver, -c)))
            }
            _ => return None,
        };
        let is_first = self.weight.iter().all(|&weight| weight == 0.0);
        let alike = is_first || self.law.is_like(&row.law);
        let driven = follow.is_none_or(|(driver, _)| self.driver.is_none_or(|had| had == driver));
        if node >= n_capsules
            || self.weight[node] != 0.0
            || row.position != 0.0
            || !alike
            || !driven
        {
            return None;
        }
        if is_first {
            (self.law, self.impedance, self.solref) = (row.law, row.impedance, row.solref);
        }
        self.varies |= self.impedance != row.impedance;
        self.weight[node] = 1.0 / row.regularization;
        if let Some((driver, reach)) = follow {
            self.driver = Some(driver);
            self.reach[node] = reach;
        }
        Some(())
    }

    /// Subtracts the forces of the ties [N] at displacements, velocities and accelerations.
    #[inline(always)]
    pub(super) fn pull(
        &self,
        law: SpringDamper,
        reach: &[f64],
        [q, v, a]: [&[f64]; 3],
        force: &mut [f64],
    ) {
        let drive = |node: usize| a[node] + law.stiffness * q[node] + law.damping * v[node];
        let state = q.iter().zip(v).zip(a);
        let entries = force.iter_mut().zip(&self.weight).zip(state);
        let Some(driver) = self.driver else {
            for ((force, weight), ((q, v), a)) in entries {
                *force -= weight * (a + law.stiffness * q + law.damping * v);
            }
            return;
        };
        let (driven, mut back) = (drive(driver), 0.0);
        for (((force, weight), ((q, v), a)), reach) in entries.zip(reach) {
            let pull = weight * (a + law.stiffness * q + law.damping * v - reach * driven);
            *force -= pull;
            back += reach * pull;
        }
        force[driver] += back;
    }
}

/// Entries of a matrix in consecutive rows and consecutive columns.
#[derive(Debug)]
struct Run {
    row: u32,
    column: u32,
    length: u32,
}

/// Rows with the same stiffness and damping per weight, as one sparse matrix $P = J^T R^{-1} J$.
///
/// It is stored along its diagonals, in runs of consecutive rows, so that the inner loop vectorises: a lattice has few and long runs.
#[derive(Debug)]
pub(super) struct Couplings {
    pub(super) law: SpringDamper,
    pub(super) impedance: f64,
    /// Whether the impedances of the rows differ.
    pub(super) varies: bool,
    /// MuJoCo's `solref`.
    pub(super) solref: [f64; 2],
    runs: Vec<Run>,
    /// Entries of all runs in sequence.
    values: Vec<f64>,
    /// The pairs of nodes that are constrained to slide alike.
    pub(super) pairs: Vec<[usize; 2]>,
}

impl Couplings {
    /// Groups rows by stiffness and damping. The first group makes two nodes of the surface slide alike; the flag tells whether it exists.
    pub(super) fn sort(
        n: usize,
        n_capsules: usize,
        mut rows: Vec<&EqualityRow>,
    ) -> (Vec<Self>, bool) {
        let mut sorted = Vec::new();
        let like = |a: &EqualityRow, b: &EqualityRow| a.law.is_like(&b.law);
        let first = rows
            .iter()
            .copied()
            .find(|row| slides_alike(n_capsules, row));
        if let Some(first) = first {
            let (neighbors, others): (Vec<&EqualityRow>, Vec<&EqualityRow>) = rows
                .into_iter()
                .partition(|row| slides_alike(n_capsules, row) && like(row, first));
            sorted.push(Self::new(n, &neighbors));
            rows = others;
        }
        while let Some(&first) = rows.first() {
            let (same, others): (Vec<&EqualityRow>, Vec<&EqualityRow>) =
                rows.into_iter().partition(|row| like(row, first));
            sorted.push(Self::new(n, &same));
            rows = others;
        }
        (sorted, first.is_some())
    }

    fn new(n: usize, rows: &[&EqualityRow]) -> Self {
        let mut triplets: Vec<(usize, usize, f64)> = products(rows).collect();
        // Sort by diagonal, then by row.
        triplets.sort_by_key(|&(i, j, _)| (i + n - j, i));
        triplets.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let (mut runs, mut values) = (Vec::<Run>::new(), Vec::with_capacity(triplets.len()));
        for (row, column, value) in triplets {
            let (row, column) = (row as u32, column as u32);
            match runs.last_mut() {
                Some(run) if [run.row + run.length, run.column + run.length] == [row, column] => {
                    run.length += 1;
                }
                _ => runs.push(Run {
                    row,
                    column,
                    length: 1,
                }),
            }
            values.push(value);
        }
        Self {
            law: rows[0].law,
            impedance: rows[0].impedance,
            varies: rows.iter().any(|row| row.impedance != rows[0].impedance),
            solref: rows[0].solref,
            runs,
            values,
            pairs: rows
                .iter()
                .filter(|row| row.terms.len() == 2)
                .map(|row| [row.terms[0].0, row.terms[1].0])
                .collect(),
        }
    }

    /// Subtracts the forces of the couplings [N] at displacements, velocities and accelerations.
    #[inline(always)]
    pub(super) fn pull(
        &self,
        law: SpringDamper,
        [q, v, a]: [&[f64]; 3],
        force: &mut [f64],
        work: &mut [f64],
    ) {
        for (((drive, q), v), a) in work.iter_mut().zip(q).zip(v).zip(a) {
            *drive = a + law.stiffness * q + law.damping * v;
        }
        let mut values = self.values.as_slice();
        for run in &self.runs {
            let (row, column, length) =
                (run.row as usize, run.column as usize, run.length as usize);
            let (own, rest) = values.split_at(length);
            let entries = force[row..row + length].iter_mut().zip(own);
            for ((force, value), drive) in entries.zip(&work[column..column + length]) {
                *force -= value * drive;
            }
            values = rest;
        }
    }
}

/// Whether a row constrains the difference of two nodes of the surface to zero.
fn slides_alike(n_capsules: usize, row: &EqualityRow) -> bool {
    match *row.terms.as_slice() {
        [(a, c), (b, d)] => {
            a < n_capsules && b < n_capsules && c == -d && c.abs() == 1.0 && row.position == 0.0
        }
        _ => false,
    }
}

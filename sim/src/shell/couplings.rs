//! Rows between few nodes: ties of single nodes to rest, and couplings of nodes.

use super::rows::{EqualityRow, SpringDamper, products};

/// Rows that each tie one node of the surface to rest, with the same stiffness and damping; with a driver, to its position times a
/// reach.
#[derive(Debug, Default)]
pub(super) struct Ties {
    pub(super) law: SpringDamper,
    pub(super) impedance: f64,
    /// MuJoCo's `solref`.
    pub(super) solref: [f64; 2],
    /// `1 / R` by node [kg]; 0: not tied. Shape `[n]`.
    pub(super) weight: Vec<f64>,
    /// How far each node follows a unit of the driver. Shape `[n]`.
    pub(super) reach: Vec<f64>,
    /// The node that all ties refer to, such as a breath.
    pub(super) driver: Option<usize>,
}

impl Ties {
    /// Takes the ties out of the rows; returns the others.
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

    /// Adds a row if it is a tie like those before.
    fn take(&mut self, n_capsules: usize, row: &EqualityRow) -> Option<()> {
        let (node, follow) = match *row.terms.as_slice() {
            [(node, 1.0)] => (node, None),
            [(node, 1.0), (driver, c)] | [(driver, c), (node, 1.0)] if driver >= n_capsules => {
                (node, Some((driver, -c)))
            }
            _ => return None,
        };
        let is_first = self.weight.iter().all(|&weight| weight == 0.0);
        let alike = is_first || (self.law == row.law && self.impedance == row.impedance);
        let driven = follow.is_none_or(|(driver, _)| self.driver.is_none_or(|had| had == driver));
        if node >= n_capsules
            || self.weight[node] != 0.0
            || row.position != 0.0
            || !alike
            || !driven
        {
            return None;
        }
        (self.law, self.impedance, self.solref) = (row.law, row.impedance, row.solref);
        self.weight[node] = 1.0 / row.regularization;
        if let Some((driver, reach)) = follow {
            self.driver = Some(driver);
            self.reach[node] = reach;
        }
        Some(())
    }

    /// Subtracts the forces of the ties [N].
    #[inline]
    pub(super) fn pull(
        &self,
        law: SpringDamper,
        reach: &[f64],
        q: &[f64],
        v: &[f64],
        force: &mut [f64],
    ) {
        let drive = |node: usize| law.stiffness * q[node] + law.damping * v[node];
        let state = q.iter().zip(v);
        let entries = force.iter_mut().zip(&self.weight).zip(state);
        let Some(driver) = self.driver else {
            for ((force, weight), (q, v)) in entries {
                *force -= weight * (law.stiffness * q + law.damping * v);
            }
            return;
        };
        let (driven, mut back) = (drive(driver), 0.0);
        for (((force, weight), (q, v)), reach) in entries.zip(reach) {
            let pull = weight * (law.stiffness * q + law.damping * v - reach * driven);
            *force -= pull;
            back += reach * pull;
        }
        force[driver] += back;
    }
}

/// Rows of the same stiffness and damping, as one sparse matrix $P = J^T R^{-1} J$.
///
/// Format ELLPACK: slot $s$ holds the $s$-th entry of every row, zero where a row has fewer, so that the inner loop vectorises.
#[derive(Debug)]
pub(super) struct Couplings {
    pub(super) law: SpringDamper,
    pub(super) impedance: f64,
    /// MuJoCo's `solref`.
    pub(super) solref: [f64; 2],
    /// Columns and values, shape `[n_slots, n]`.
    columns: Vec<u32>,
    values: Vec<f64>,
    /// The pairs of nodes that are made to slide alike.
    pub(super) pairs: Vec<[usize; 2]>,
}

impl Couplings {
    /// Sorts rows by stiffness and damping, first those that make two nodes of the surface slide alike; and whether there are such.
    pub(super) fn sort(
        n: usize,
        n_capsules: usize,
        mut rows: Vec<&EqualityRow>,
    ) -> (Vec<Self>, bool) {
        let mut sorted = Vec::new();
        let like = |a: &EqualityRow, b: &EqualityRow| a.law == b.law && a.impedance == b.impedance;
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
        triplets.sort_by_key(|&(i, j, _)| (i, j));
        triplets.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut length = vec![0; n];
        for &(row, ..) in &triplets {
            length[row] += 1;
        }
        let n_slots = length.iter().copied().max().unwrap_or(0);
        let (mut columns, mut values) = (vec![0; n_slots * n], vec![0.0; n_slots * n]);
        length.fill(0);
        for &(row, column, value) in &triplets {
            let place = length[row] * n + row;
            (columns[place], values[place]) = (column as u32, value);
            length[row] += 1;
        }
        Self {
            law: rows[0].law,
            impedance: rows[0].impedance,
            solref: rows[0].solref,
            columns,
            values,
            pairs: rows
                .iter()
                .filter(|row| row.terms.len() == 2)
                .map(|row| [row.terms[0].0, row.terms[1].0])
                .collect(),
        }
    }

    /// Subtracts the forces of the couplings [N].
    #[inline]
    pub(super) fn pull(
        &self,
        law: SpringDamper,
        q: &[f64],
        v: &[f64],
        force: &mut [f64],
        work: &mut [f64],
    ) {
        for ((drive, q), v) in work.iter_mut().zip(q).zip(v) {
            *drive = law.stiffness * q + law.damping * v;
        }
        let n = force.len();
        let slots = self
            .columns
            .chunks_exact(n)
            .zip(self.values.chunks_exact(n));
        for (columns, values) in slots {
            for ((force, &column), value) in force.iter_mut().zip(columns).zip(values) {
                *force -= value * work[column as usize];
            }
        }
    }
}

/// Whether a row holds the difference of two nodes of the surface at zero.
fn slides_alike(n_capsules: usize, row: &EqualityRow) -> bool {
    match *row.terms.as_slice() {
        [(a, c), (b, d)] => {
            a < n_capsules && b < n_capsules && c == -d && c.abs() == 1.0 && row.position == 0.0
        }
        _ => false,
    }
}

//! Cholesky factorisation of a sparse symmetric positive definite matrix; each row is stored from its first non-zero (skyline).
//!
//! Jennings 1966, "A compact storage scheme for the solution of symmetric linear simultaneous equations".

/// The factor `L`, each row from its first non-zero to the diagonal.
pub(super) struct Rows {
    /// First non-zero column of each row of `L`.
    pub(super) first: Vec<usize>,
    /// Start of each row in `values`; the diagonal is the last entry of the row.
    start: Vec<usize>,
    values: Vec<f64>,
}

impl Rows {
    /// Factors the matrix with the unknowns in the given order; `None` if it is not positive definite.
    pub(super) fn factor(order: &[usize], entries: &[(usize, usize, f64)]) -> Option<Self> {
        let n = order.len();
        let mut place = vec![0; n];
        for (index, &unknown) in order.iter().enumerate() {
            place[unknown] = index;
        }
        let placed = |&(row, column, value): &(usize, usize, f64)| {
            let (a, b) = (place[row], place[column]);
            (a.max(b), a.min(b), value)
        };
        let mut first: Vec<usize> = (0..n).collect();
        for (row, column, _) in entries.iter().map(placed) {
            first[row] = first[row].min(column);
        }
        let mut start = vec![0; n + 1];
        for row in 0..n {
            start[row + 1] = start[row] + row - first[row] + 1;
        }
        let mut values = vec![0.0; start[n]];
        for (row, column, value) in entries.iter().map(placed) {
            values[start[row] + column - first[row]] += value;
        }
        let mut rows = Self {
            first,
            start,
            values,
        };
        rows.eliminate()?;
        Some(rows)
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[self.start[row]..self.start[row + 1]]
    }

    fn eliminate(&mut self) -> Option<()> {
        let mut inverse_diagonal = vec![0.0; self.first.len()];
        for row in 0..self.first.len() {
            for column in self.first[row]..=row {
                let common = self.first[row].max(self.first[column]);
                let left = &self.row(row)[common - self.first[row]..column - self.first[row]];
                let right =
                    &self.row(column)[common - self.first[column]..column - self.first[column]];
                let index = self.start[row] + column - self.first[row];
                let rest = self.values[index] - dot(left, right);
                if column < row {
                    self.values[index] = rest * inverse_diagonal[column];
                } else if rest > 0.0 {
                    self.values[index] = rest.sqrt();
                    inverse_diagonal[row] = 1.0 / rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    /// An entry of `L`; rows beyond the last are rows of the identity.
    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        if row >= self.first.len() {
            return if row == column { 1.0 } else { 0.0 };
        }
        if column < self.first[row] || column > row {
            return 0.0;
        }
        self.row(row)[column - self.first[row]]
    }
}

/// Dot product in four partial sums, with the same result on every machine.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 4;
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_lanes.remainder().iter().zip(b_lanes.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    let mut sums = [0.0; LANES];
    for (x, y) in a_lanes.zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]))
}

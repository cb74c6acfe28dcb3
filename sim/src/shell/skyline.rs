//! Cholesky factor of a sparse symmetric positive definite matrix, stored by rows from the first non-zero (skyline).
//!
//! The rows' non-zeros are contiguous, so both substitutions run at SIMD speed.
//! Jennings 1966, "A compact storage scheme for the solution of symmetric linear simultaneous equations".

/// `L` of `P A Pᵀ = L Lᵀ` with `P` an ordering that keeps rows short.
#[derive(Debug, Clone)]
pub(super) struct Skyline {
    /// `order[i]`: the unknown that stands at place `i`.
    order: Vec<usize>,
    /// First non-zero column of each row of `L`.
    first: Vec<usize>,
    /// Where each row starts in `values`; the diagonal is its last entry.
    start: Vec<usize>,
    values: Vec<f64>,
    inverse_diagonal: Vec<f64>,
}

impl Skyline {
    /// Factors the matrix given by its non-zeros `(row, column, value)` with `row >= column`; repeats are summed.
    ///
    /// `None` when it is not positive definite.
    pub(super) fn factor(n: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        let order = cuthill_mckee(n, entries);
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
        let mut skyline = Self {
            order,
            first,
            start,
            values,
            inverse_diagonal: vec![0.0; n],
        };
        skyline.eliminate()?;
        Some(skyline)
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[self.start[row]..self.start[row + 1]]
    }

    fn eliminate(&mut self) -> Option<()> {
        for row in 0..self.first.len() {
            for column in self.first[row]..=row {
                let common = self.first[row].max(self.first[column]);
                let left = &self.row(row)[common - self.first[row]..column - self.first[row]];
                let right =
                    &self.row(column)[common - self.first[column]..column - self.first[column]];
                let index = self.start[row] + column - self.first[row];
                let rest = self.values[index] - dot(left, right);
                if column < row {
                    self.values[index] = rest * self.inverse_diagonal[column];
                } else if rest > 0.0 {
                    self.values[index] = rest.sqrt();
                    self.inverse_diagonal[row] = 1.0 / rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Replaces `x` by `A⁻¹ x`; `work` has the same length.
    pub(super) fn solve(&self, x: &mut [f64], work: &mut [f64]) {
        for (entry, &unknown) in work.iter_mut().zip(&self.order) {
            *entry = x[unknown];
        }
        for row in 0..work.len() {
            let coefficients = self.row(row);
            let (left, right) = work.split_at_mut(row);
            let sum = dot(
                &coefficients[..coefficients.len() - 1],
                &left[self.first[row]..],
            );
            right[0] = (right[0] - sum) * self.inverse_diagonal[row];
        }
        for row in (0..work.len()).rev() {
            let value = work[row] * self.inverse_diagonal[row];
            work[row] = value;
            let above = &mut work[self.first[row]..row];
            for (entry, coefficient) in above.iter_mut().zip(self.row(row)) {
                *entry -= value * coefficient;
            }
        }
        for (&entry, &unknown) in work.iter().zip(&self.order) {
            x[unknown] = entry;
        }
    }
}

/// Sum of products in four running sums: SIMD-friendly and the same on every machine.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4
        .remainder()
        .iter()
        .zip(b4.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a4.zip(b4) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + tail
}

/// Breadth-first order of the matrix's graph from an outermost unknown (Cuthill and McKee 1969); unknowns tied to very many
/// others come last, where a long row costs once.
fn cuthill_mckee(n: usize, entries: &[(usize, usize, f64)]) -> Vec<usize> {
    const MANY: usize = 32;
    let mut neighbours = vec![Vec::new(); n];
    for &(row, column, _) in entries {
        if row != column {
            neighbours[row].push(column);
            neighbours[column].push(row);
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let hub: Vec<bool> = neighbours.iter().map(|list| list.len() > MANY).collect();
    for list in &mut neighbours {
        list.retain(|&other| !hub[other]);
    }
    let mut visited = hub.clone();
    let mut order = Vec::with_capacity(n);
    for seed in 0..n {
        if visited[seed] {
            continue;
        }
        // Two sweeps find an unknown at the far end of the component.
        let far = sweep(seed, &neighbours, &mut visited.clone())
            .pop()
            .unwrap_or(seed);
        order.extend(sweep(far, &neighbours, &mut visited));
    }
    order.extend((0..n).filter(|&unknown| hub[unknown]));
    order
}

fn sweep(seed: usize, neighbours: &[Vec<usize>], visited: &mut [bool]) -> Vec<usize> {
    let mut order = vec![seed];
    visited[seed] = true;
    let mut next = 0;
    while let Some(&unknown) = order.get(next) {
        next += 1;
        let mut fresh: Vec<usize> = neighbours[unknown]
            .iter()
            .copied()
            .filter(|&other| !visited[other])
            .collect();
        fresh.sort_by_key(|&other| (neighbours[other].len(), other));
        for other in fresh {
            visited[other] = true;
            order.push(other);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_grid_laplacian_with_a_hub() {
        let (width, height) = (7, 5);
        let n = width * height + 1;
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, 5.0 + i as f64 * 0.1)).collect();
        for i in 0..width * height {
            if i % width > 0 {
                entries.push((i, i - 1, -1.0));
            }
            if i >= width {
                entries.push((i, i - width, -1.0));
            }
            entries.push((n - 1, i, -0.05));
        }
        let factor = Skyline::factor(n, &entries).unwrap();
        let expected: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut x = vec![0.0; n];
        for &(row, column, value) in &entries {
            x[row] += value * expected[column];
            if row != column {
                x[column] += value * expected[row];
            }
        }
        factor.solve(&mut x, &mut vec![0.0; n]);
        for (got, want) in x.iter().zip(&expected) {
            assert!((got - want).abs() < 1e-13);
        }
        assert_eq!(factor.order[n - 1], n - 1, "the hub comes last");
        assert!(Skyline::factor(2, &[(0, 0, 1.0), (1, 1, 1.0), (1, 0, 2.0)]).is_none());
    }
}

//! Cholesky factor of a sparse symmetric positive definite matrix, stored by rows from the first non-zero (skyline).
//!
//! Jennings 1966, "A compact storage scheme for the solution of symmetric linear simultaneous equations".
//!
//! Substitution is a chain of dependent operations, so it goes in blocks of eight rows: the triangle on the diagonal is stored
//! inverted, and the products with the contiguous rows left of it are independent.

/// Rows in a block.
const BLOCK: usize = 8;
/// Partial sums of a dot product; rows of a block begin at a multiple of it.
const LANES: usize = 4;

/// `L` of `P A Pᵀ = L Lᵀ` with `P` an ordering that keeps rows short.
#[derive(Debug, Clone)]
pub(super) struct Skyline {
    /// `order[i]`: the unknown at index `i`.
    order: Vec<usize>,
    blocks: Vec<Block>,
    /// Rows of the blocks left of their triangles, one block after another.
    panels: Vec<f64>,
}

/// Eight rows of `L`.
#[derive(Debug, Clone)]
struct Block {
    /// First column of the panel.
    first: usize,
    /// Where the panel starts in `panels`.
    start: usize,
    /// Inverse of the triangle on the diagonal, column by column.
    inverse: [[f64; BLOCK]; BLOCK],
}

impl Skyline {
    /// Factors the matrix given by its non-zeros `(row, column, value)` with `row >= column`; repeats are summed.
    ///
    /// `None` when it is not positive definite.
    pub(super) fn factor(n: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        let order = cuthill_mckee(n, entries);
        let rows = Rows::factor(&order, entries)?;
        let mut skyline = Self {
            order,
            blocks: Vec::with_capacity(n.div_ceil(BLOCK)),
            panels: Vec::new(),
        };
        for top in (0..n).step_by(BLOCK) {
            let first = (top..n.min(top + BLOCK)).map(|row| rows.first[row]).min()?;
            let first = first.min(top) / LANES * LANES;
            let start = skyline.panels.len();
            for row in top..top + BLOCK {
                let entries = (first..top).map(|column| rows.at(row, column));
                skyline.panels.extend(entries);
            }
            skyline.blocks.push(Block {
                first,
                start,
                inverse: rows.inverted_triangle(top),
            });
        }
        Some(skyline)
    }

    /// Length of the scratch memory of [`Self::solve`].
    pub(super) fn work_len(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Replaces `x` by `A⁻¹ x`; `work` holds at least [`Self::work_len`] numbers.
    pub(super) fn solve(&self, x: &mut [f64], work: &mut [f64]) {
        let work = &mut work[..self.work_len()];
        for (entry, &unknown) in work.iter_mut().zip(&self.order) {
            *entry = x[unknown];
        }
        work[self.order.len()..].fill(0.0);
        for (index, block) in self.blocks.iter().enumerate() {
            self.forward(index * BLOCK, block, work);
        }
        for (index, block) in self.blocks.iter().enumerate().rev() {
            self.backward(index * BLOCK, block, work);
        }
        for (&entry, &unknown) in work.iter().zip(&self.order) {
            x[unknown] = entry;
        }
    }

    /// Rows of `L y = b` from `top` on, given all above.
    #[inline]
    fn forward(&self, top: usize, block: &Block, work: &mut [f64]) {
        let (above, own) = split(top, work);
        let above = &above[block.first..];
        let n = above.len();
        let mut right = *own;
        if n > 0 {
            let panel = &self.panels[block.start..block.start + BLOCK * n];
            for (entry, row) in right.iter_mut().zip(panel.chunks_exact(n)) {
                *entry -= lanes_dot(row, above);
            }
        }
        // Even and odd columns apart halve the chain.
        let (mut even, mut odd) = ([0.0; BLOCK], [0.0; BLOCK]);
        for pair in 0..BLOCK / 2 {
            for row in 0..BLOCK {
                even[row] += block.inverse[2 * pair][row] * right[2 * pair];
                odd[row] += block.inverse[2 * pair + 1][row] * right[2 * pair + 1];
            }
        }
        for row in 0..BLOCK {
            own[row] = even[row] + odd[row];
        }
    }

    /// Rows of `Lᵀ x = y` from `top` on, given all below, which were taken off already.
    #[inline]
    fn backward(&self, top: usize, block: &Block, work: &mut [f64]) {
        let (above, own) = split(top, work);
        let above = &mut above[block.first..];
        let n = above.len();
        let mut x = [0.0; BLOCK];
        for (x, column) in x.iter_mut().zip(&block.inverse) {
            *x = lanes_dot(column, own);
        }
        *own = x;
        if n == 0 {
            return;
        }
        let panel = &self.panels[block.start..block.start + BLOCK * n];
        let [r0, r1, r2, r3, r4, r5, r6, r7]: [&[f64]; BLOCK] =
            std::array::from_fn(|row| &panel[row * n..(row + 1) * n]);
        for i in 0..n {
            above[i] -= ((x[0] * r0[i] + x[1] * r1[i]) + (x[2] * r2[i] + x[3] * r3[i]))
                + ((x[4] * r4[i] + x[5] * r5[i]) + (x[6] * r6[i] + x[7] * r7[i]));
        }
    }
}

/// What stands above a block, and the block.
#[inline]
fn split(top: usize, work: &mut [f64]) -> (&mut [f64], &mut [f64; BLOCK]) {
    let (above, own) = work.split_at_mut(top);
    let own = own
        .first_chunk_mut()
        .expect("there is room for whole blocks");
    (above, own)
}

/// The factor row by row, as it is found.
struct Rows {
    /// First non-zero column of each row of `L`.
    first: Vec<usize>,
    /// Where each row starts in `values`; the diagonal is its last entry.
    start: Vec<usize>,
    values: Vec<f64>,
}

impl Rows {
    fn factor(order: &[usize], entries: &[(usize, usize, f64)]) -> Option<Self> {
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

    /// An entry of `L`; rows beyond the last are those of the identity.
    fn at(&self, row: usize, column: usize) -> f64 {
        if row >= self.first.len() {
            return if row == column { 1.0 } else { 0.0 };
        }
        if column < self.first[row] || column > row {
            return 0.0;
        }
        self.row(row)[column - self.first[row]]
    }

    /// Inverse of the triangle that begins at a place on the diagonal, column by column.
    fn inverted_triangle(&self, top: usize) -> [[f64; BLOCK]; BLOCK] {
        let mut inverse = [[0.0; BLOCK]; BLOCK];
        for (column, result) in inverse.iter_mut().enumerate() {
            for row in column..BLOCK {
                let sum: f64 = (column..row)
                    .map(|k| self.at(top + row, top + k) * result[k])
                    .sum();
                let unit = if row == column { 1.0 } else { 0.0 };
                result[row] = (unit - sum) / self.at(top + row, top + row);
            }
        }
        inverse
    }
}

/// Dot product of any length.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_lanes.remainder().iter().zip(b_lanes.remainder());
    rest.map(|(x, y)| x * y).sum::<f64>() + lanes_dot(a, b)
}

/// Dot product in four partial sums, the same on every machine; entries beyond a multiple of four are left out.
#[inline]
fn lanes_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (x, y) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
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
        factor.solve(&mut x, &mut vec![0.0; factor.work_len()]);
        for (got, want) in x.iter().zip(&expected) {
            assert!((got - want).abs() < 1e-13);
        }
        assert_eq!(factor.order[n - 1], n - 1, "the hub comes last");
        assert!(Skyline::factor(2, &[(0, 0, 1.0), (1, 1, 1.0), (1, 0, 2.0)]).is_none());
    }
}

//! Substitution with the Cholesky factor of a sparse symmetric positive definite matrix, in blocks of rows.
//!
//! Substitution is a chain of dependent operations. It is done in blocks of sixteen rows: the triangle on the diagonal is stored
//! inverted, and the products with the columns to the left of it are independent.
//! Forward and backward substitution read their numbers in memory order, each from its own copy.

#![expect(
    clippy::inline_always,
    reason = "substitution must be part of the function that has the processor's features"
)]

use nalgebra::RealField;
use pulp::{Arch, Simd, WithSimd};

use super::cholesky::Rows;
use super::ordering::cuthill_mckee;

/// Rows in a block, and numbers that are processed at once.
pub(super) const BLOCK: usize = 16;

/// `L` of `P A Pᵀ = L Lᵀ` with an ordering `P` that keeps rows short, in double or single precision.
#[derive(Debug, Clone)]
pub struct Skyline<T> {
    /// `order[i]` is the unknown at index `i`.
    pub(super) order: Vec<usize>,
    pub(super) blocks: Vec<RowBlock<T>>,
    /// Entries to the left of the blocks' triangles, block by block, column by column.
    pub(super) columns: Vec<[T; BLOCK]>,
    /// The same entries in groups of sixteen columns, each row by row.
    pub(super) rows: Vec<[T; BLOCK]>,
}

/// Sixteen rows of `L`.
#[derive(Debug, Clone)]
pub(super) struct RowBlock<T> {
    /// First column left of the triangle; a multiple of [`BLOCK`].
    pub(super) first: usize,
    /// Start of the block in [`Skyline::columns`] and [`Skyline::rows`].
    pub(super) start: usize,
    /// Inverse of the triangle on the diagonal, column by column and row by row.
    pub(super) inverse: [[[T; BLOCK]; BLOCK]; 2],
}

impl Skyline<f64> {
    /// Factors the matrix given by its non-zeros `(row, column, value)` with `row >= column`; repeats are summed.
    ///
    /// `None` if the matrix is not positive definite.
    pub fn factor(n: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        let order = cuthill_mckee(n, entries);
        let factor = Rows::factor(&order, entries)?;
        let mut skyline = Self {
            order,
            blocks: Vec::with_capacity(n.div_ceil(BLOCK)),
            columns: Vec::new(),
            rows: Vec::new(),
        };
        for top in (0..n).step_by(BLOCK) {
            let first = (top..n.min(top + BLOCK))
                .map(|row| factor.first[row])
                .min()?;
            let first = first.min(top) / BLOCK * BLOCK;
            let square = |rows: usize, columns: usize| -> [[f64; BLOCK]; BLOCK] {
                std::array::from_fn(|i| std::array::from_fn(|j| factor.at(rows + i, columns + j)))
            };
            let start = skyline.rows.len();
            for left in (first..top).step_by(BLOCK) {
                let rows = square(top, left);
                skyline.rows.extend(rows);
                skyline.columns.extend(transposed(&rows));
            }
            let inverse = inverted(&square(top, top));
            skyline.blocks.push(RowBlock {
                first,
                start,
                inverse: [inverse, transposed(&inverse)],
            });
        }
        Some(skyline)
    }

    /// The same factor in single precision, which halves the memory traffic.
    pub fn to_single(&self) -> Skyline<f32> {
        let single = |entries: &[f64; BLOCK]| entries.map(|x| x as f32);
        let all = |some: &[[f64; BLOCK]]| some.iter().map(single).collect();
        Skyline {
            order: self.order.clone(),
            blocks: self
                .blocks
                .iter()
                .map(|block| RowBlock {
                    first: block.first,
                    start: block.start,
                    inverse: block.inverse.map(|half| half.each_ref().map(single)),
                })
                .collect(),
            columns: all(&self.columns),
            rows: all(&self.rows),
        }
    }

    /// Replaces `x` by `A⁻¹ x`; `work` holds at least [`Self::work_len`] numbers.
    pub fn solve(&self, x: &mut [f64], work: &mut [f64]) {
        let work = &mut work[..self.work_len()];
        for (entry, &unknown) in work.iter_mut().zip(&self.order) {
            *entry = x[unknown];
        }
        self.substitute(Plain, work);
        for (&entry, &unknown) in work.iter().zip(&self.order) {
            x[unknown] = entry;
        }
    }
}

impl Skyline<f32> {
    /// Replaces `x` by `A⁻¹ x` in single precision; `work` holds at least [`Self::work_len`] numbers.
    pub fn solve(&self, x: &mut [f64], work: &mut [f32]) {
        let work = &mut work[..self.work_len()];
        let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest == 0.0 {
            return;
        }
        // Scaled, so that values that decay over the shell stay above the smallest number.
        let scale = largest.recip();
        for (entry, &unknown) in work.iter_mut().zip(&self.order) {
            *entry = (x[unknown] * scale) as f32;
        }
        Arch::new().dispatch(Substitution { factor: self, work });
        for (&entry, &unknown) in work.iter().zip(&self.order) {
            x[unknown] = f64::from(entry) * largest;
        }
    }
}

/// Substitution with the processor's vector instructions.
struct Substitution<'a> {
    factor: &'a Skyline<f32>,
    work: &'a mut [f32],
}

impl WithSimd for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.factor.substitute(InLanes(simd), self.work);
    }
}

impl<T: RealField + Copy> Skyline<T> {
    /// Length of the scratch memory of `solve`.
    pub fn work_len(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Forward and backward substitution.
    #[inline(always)]
    fn substitute(&self, sums: impl Product<T>, work: &mut [T]) {
        work[self.order.len()..].fill(T::zero());
        for (index, block) in self.blocks.iter().enumerate() {
            self.forward(sums, index * BLOCK, block, work);
        }
        for (index, block) in self.blocks.iter().enumerate().rev() {
            self.backward(sums, index * BLOCK, block, work);
        }
    }

    /// Solves `L y = b` for the rows of a block that starts at `top`; all rows above are solved.
    #[inline(always)]
    fn forward(&self, sums: impl Product<T>, top: usize, block: &RowBlock<T>, work: &mut [T]) {
        let (above, own) = split(top, work);
        let above = &above[block.first..];
        let sum = sums.of(&self.columns[block.start..block.start + above.len()], above);
        let mut right = *own;
        for row in 0..BLOCK {
            right[row] -= sum[row];
        }
        *own = sums.of(&block.inverse[0], &right);
    }

    /// Solves `Lᵀ x = y` for the rows of a block that starts at `top`; all rows below are solved and already subtracted.
    #[inline(always)]
    fn backward(&self, sums: impl Product<T>, top: usize, block: &RowBlock<T>, work: &mut [T]) {
        let (above, own) = split(top, work);
        let above = &mut above[block.first..];
        *own = sums.of(&block.inverse[1], own);
        let rows = &self.rows[block.start..block.start + above.len()];
        for (above, rows) in above.chunks_exact_mut(BLOCK).zip(rows.chunks_exact(BLOCK)) {
            let sum = sums.of(rows, own);
            for column in 0..BLOCK {
                above[column] -= sum[column];
            }
        }
    }
}

/// The numbers above a block, and the block.
#[inline(always)]
fn split<T>(top: usize, work: &mut [T]) -> (&mut [T], &mut [T; BLOCK]) {
    let (above, own) = work.split_at_mut(top);
    let own = own
        .first_chunk_mut()
        .expect("there is room for whole blocks");
    (above, own)
}

/// Sum of vectors times factors in four partial sums, with the same result on every machine. The number of factors is a multiple of four.
trait Product<T>: Copy {
    fn of(self, vectors: &[[T; BLOCK]], factors: &[T]) -> [T; BLOCK];
}

#[derive(Clone, Copy)]
struct Plain;

impl Product<f64> for Plain {
    fn of(self, vectors: &[[f64; BLOCK]], factors: &[f64]) -> [f64; BLOCK] {
        let mut sums = [[0.0; BLOCK]; 4];
        for (vectors, factors) in vectors.chunks_exact(4).zip(factors.chunks_exact(4)) {
            for (sum, (vector, factor)) in sums.iter_mut().zip(vectors.iter().zip(factors)) {
                for (sum, entry) in sum.iter_mut().zip(vector) {
                    *sum += entry * factor;
                }
            }
        }
        let [a, b, c, d] = sums;
        std::array::from_fn(|i| (a[i] + c[i]) + (b[i] + d[i]))
    }
}

/// Product with the processor's vector instructions.
#[derive(Clone, Copy)]
struct InLanes<S>(S);

impl<S: Simd> Product<f32> for InLanes<S> {
    #[inline(always)]
    fn of(self, vectors: &[[f32; BLOCK]], factors: &[f32]) -> [f32; BLOCK] {
        let simd = self.0;
        let mut result = [0.0; BLOCK];
        let (groups, _) = S::as_mut_simd_f32s(&mut result);
        let n_groups = groups.len();
        let (vectors, _) = S::as_simd_f32s(vectors.as_flattened());
        for (index, group) in groups.iter_mut().enumerate() {
            let zero = simd.splat_f32s(0.0);
            let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
            for (vectors, factors) in vectors
                .chunks_exact(4 * n_groups)
                .zip(factors.chunks_exact(4))
            {
                let term = |part: usize| {
                    let factor = simd.splat_f32s(factors[part]);
                    simd.mul_f32s(factor, vectors[part * n_groups + index])
                };
                a = simd.add_f32s(a, term(0));
                b = simd.add_f32s(b, term(1));
                c = simd.add_f32s(c, term(2));
                d = simd.add_f32s(d, term(3));
            }
            *group = simd.add_f32s(simd.add_f32s(a, c), simd.add_f32s(b, d));
        }
        result
    }
}

/// Inverse of a lower triangle, column by column.
fn inverted(triangle: &[[f64; BLOCK]; BLOCK]) -> [[f64; BLOCK]; BLOCK] {
    let mut inverse = [[0.0; BLOCK]; BLOCK];
    for (column, result) in inverse.iter_mut().enumerate() {
        for row in column..BLOCK {
            let sum: f64 = (column..row).map(|k| triangle[row][k] * result[k]).sum();
            let unit = if row == column { 1.0 } else { 0.0 };
            result[row] = (unit - sum) / triangle[row][row];
        }
    }
    inverse
}

fn transposed(square: &[[f64; BLOCK]; BLOCK]) -> [[f64; BLOCK]; BLOCK] {
    std::array::from_fn(|i| std::array::from_fn(|j| square[j][i]))
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
        // Several sides at once: unit forces, as the columns of a compliance.
        let mut many = vec![[0.0; crate::SIDES]; n];
        for side in 0..crate::SIDES {
            many[3 * side % n][side] = 1.0;
        }
        factor.solve_many(&mut many);
        for side in 0..crate::SIDES {
            let mut unit = vec![0.0; n];
            unit[3 * side % n] = 1.0;
            factor.solve(&mut unit, &mut vec![0.0; factor.work_len()]);
            for (got, want) in many.iter().zip(&unit) {
                assert!((got[side] - want).abs() < 1e-14, "{side}");
            }
        }
        assert_eq!(factor.order[n - 1], n - 1, "the hub comes last");
        assert!(Skyline::factor(2, &[(0, 0, 1.0), (1, 1, 1.0), (1, 0, 2.0)]).is_none());
    }
}

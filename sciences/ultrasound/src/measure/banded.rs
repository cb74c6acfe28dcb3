//! Symmetric positive definite band matrices: solution by the Cholesky factorisation $U^T D U$.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use crate::simd::wide;

/// The upper part of a symmetric matrix.
#[derive(Clone, Debug)]
pub(super) struct Banded {
    n: usize,
    /// Entries of a row from the diagonal on.
    width: usize,
    /// Shape `[n, width]`.
    rows: Vec<f64>,
}

impl Banded {
    /// A zero matrix; `reach` is the largest distance of an entry from the diagonal.
    pub(super) fn zeros(n: usize, reach: usize) -> Self {
        let width = reach + 1;
        Self {
            n,
            width,
            rows: vec![0.0; n * width],
        }
    }

    /// Adds to the diagonal.
    pub(super) fn add(&mut self, row: usize, value: f64) {
        self.rows[row * self.width] += value;
    }

    /// Sets the entries at `(row, column)` and `(column, row)`, with `column` > `row`.
    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * self.width + column - row] = value;
    }

    /// Solves in place: the right side becomes the solution. Consumes the matrix.
    pub(super) fn solve(mut self, right: &mut [f64]) {
        wide(
            #[inline(always)]
            || {
                self.eliminate(right);
                self.substitute(right);
            },
        );
    }

    #[inline(always)]
    fn eliminate(&mut self, right: &mut [f64]) {
        let width = self.width;
        for pivot in 0..self.n {
            let (above, below) = self.rows.split_at_mut((pivot + 1) * width);
            let row = &above[pivot * width..];
            for (ahead, other) in below.chunks_exact_mut(width).take(width - 1).enumerate() {
                let factor = row[ahead + 1] / row[0];
                if factor == 0.0 {
                    continue;
                }
                for (entry, from) in other.iter_mut().zip(&row[ahead + 1..]) {
                    *entry -= factor * from;
                }
                right[pivot + ahead + 1] -= factor * right[pivot];
            }
        }
    }

    #[inline(always)]
    fn substitute(&self, right: &mut [f64]) {
        for row in (0..self.n).rev() {
            let entries = &self.rows[row * self.width..][..self.width];
            let known = &right[row + 1..self.n.min(row + self.width)];
            let sum: f64 = entries[1..].iter().zip(known).map(|(u, x)| u * x).sum();
            right[row] = (right[row] - sum) / entries[0];
        }
    }
}

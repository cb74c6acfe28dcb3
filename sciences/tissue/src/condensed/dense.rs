//! Small dense systems of equations.

#![expect(
    clippy::inline_always,
    reason = "elimination must be part of the function that has the processor's features"
)]

use pulp::{Arch, WithSimd};

/// Factors `L U` of a square matrix without exchange of rows, as for matrices that are nearly symmetric and positive definite.
#[derive(Debug, Clone, Default)]
pub(super) struct Factors {
    n: usize,
    /// Row by row; `L` has ones on the diagonal.
    entries: Vec<f64>,
}

/// Eliminates below the diagonal with the processor's vector instructions, with the same bits on every machine.
struct Elimination<'a> {
    n: usize,
    entries: &'a mut [f64],
}

impl WithSimd for Elimination<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let n = self.n;
        for pivot in 0..n {
            let (above, below) = self.entries.split_at_mut((pivot + 1) * n);
            let row = &above[pivot * n..];
            let inverse = 1.0 / row[pivot];
            for other in below.chunks_exact_mut(n) {
                let factor = other[pivot] * inverse;
                other[pivot] = factor;
                for (entry, above) in other[pivot + 1..].iter_mut().zip(&row[pivot + 1..]) {
                    *entry -= factor * above;
                }
            }
        }
    }
}

impl Factors {
    /// Factors an `n × n` matrix, row by row. A pivot of zero leaves entries that are not finite.
    pub(super) fn new(n: usize, mut entries: Vec<f64>) -> Self {
        Arch::new().dispatch(Elimination {
            n,
            entries: &mut entries,
        });
        Self { n, entries }
    }

    /// Replaces `x` by the solution.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for row in 0..n {
            let (solved, rest) = x.split_at_mut(row);
            rest[0] -= dot(&self.entries[row * n..row * n + row], solved);
        }
        for row in (0..n).rev() {
            let (rest, solved) = x.split_at_mut(row + 1);
            let sum = dot(&self.entries[row * n + row + 1..(row + 1) * n], solved);
            rest[row] = (rest[row] - sum) / self.entries[row * n + row];
        }
    }

    /// The inverse of the matrix, row by row.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.n * self.n];
        let mut column = vec![0.0; self.n];
        for index in 0..self.n {
            column.fill(0.0);
            column[index] = 1.0;
            self.solve(&mut column);
            for (row, entry) in column.iter().enumerate() {
                inverse[row * self.n + index] = *entry;
            }
        }
        inverse
    }
}

/// Dot product in four partial sums, with the same result on every machine.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (left, right) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = left.remainder().iter().zip(right.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    let mut sums = [0.0; 4];
    for (x, y) in left.zip(right) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_fulfils_its_equations() {
        let n: usize = 13;
        let matrix: Vec<f64> = (0..n * n)
            .map(|index| {
                let (row, column) = (index / n, index % n);
                let far = row.abs_diff(column) as f64;
                (-far).exp()
                    + if row == column {
                        1.0
                    } else {
                        0.01 * (row as f64).sin()
                    }
            })
            .collect();
        let factors = Factors::new(n, matrix.clone());
        let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut x = right.clone();
        factors.solve(&mut x);
        let inverse = factors.inverse();
        for row in 0..n {
            let sum: f64 = (0..n).map(|i| matrix[row * n + i] * x[i]).sum();
            assert!((sum - right[row]).abs() < 1e-13, "{row}");
            let same: f64 = (0..n).map(|i| inverse[row * n + i] * right[i]).sum();
            assert!((same - x[row]).abs() < 1e-13, "{row}");
        }
    }
}

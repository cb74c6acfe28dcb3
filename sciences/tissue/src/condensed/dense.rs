//! Small dense systems of equations.

#![expect(
    clippy::inline_always,
    reason = "elimination must be part of the function that has the processor's features"
)]

use pulp::{Arch, WithSimd};

/// Factors `P A = L U` of a square matrix, with exchange of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Factors {
    n: usize,
    /// `order[row]` is the row of the matrix at a row of the factors.
    order: Vec<usize>,
    /// Row by row; `L` has ones on the diagonal.
    entries: Vec<f64>,
}

/// Eliminates below the diagonal with the processor's vector instructions, with the same bits on every machine.
struct Elimination<'a> {
    n: usize,
    order: &'a mut [usize],
    entries: &'a mut [f64],
}

impl WithSimd for Elimination<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let n = self.n;
        for pivot in 0..n {
            let size = |row: usize| self.entries[row * n + pivot].abs();
            let largest =
                (pivot + 1..n).fold(
                    pivot,
                    |most, row| {
                        if size(row) > size(most) { row } else { most }
                    },
                );
            if largest != pivot {
                self.order.swap(pivot, largest);
                let (above, below) = self.entries.split_at_mut(largest * n);
                above[pivot * n..(pivot + 1) * n].swap_with_slice(&mut below[..n]);
            }
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

/// Substitution with the processor's vector instructions, with the same bits on every machine.
struct Substitution<'a> {
    n: usize,
    entries: &'a [f64],
    x: &'a mut [f64],
}

impl WithSimd for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { n, entries, x } = self;
        for row in 0..n {
            let (solved, rest) = x.split_at_mut(row);
            rest[0] -= dot(&entries[row * n..row * n + row], solved);
        }
        for row in (0..n).rev() {
            let (rest, solved) = x.split_at_mut(row + 1);
            let sum = dot(&entries[row * n + row + 1..(row + 1) * n], solved);
            rest[row] = (rest[row] - sum) / entries[row * n + row];
        }
    }
}

impl Factors {
    /// Factors an `n × n` matrix, row by row. A singular matrix leaves entries that are not finite.
    pub(super) fn new(n: usize, mut entries: Vec<f64>) -> Self {
        let mut order: Vec<usize> = (0..n).collect();
        Arch::new().dispatch(Elimination {
            n,
            order: &mut order,
            entries: &mut entries,
        });
        Self { n, order, entries }
    }

    /// The solution for a right side.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.order.iter().map(|&row| right[row]).collect();
        Arch::new().dispatch(Substitution {
            n: self.n,
            entries: &self.entries,
            x: &mut x,
        });
        x
    }
}

/// Adds the sums of three vectors times factors to other vectors, with the processor's vector instructions: `sum += f₀ v₀ + f₁ v₁ + f₂ v₂` for
/// each `[v₀, v₁, v₂]`, one after another, and factors.
pub(super) struct AddProducts<'a, I> {
    pub(super) sum: &'a mut [f64],
    pub(super) products: I,
}

impl<'a, I: Iterator<Item = (&'a [f64], [f64; 3])>> AddProducts<'_, I> {
    pub(super) fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl<'a, I: Iterator<Item = (&'a [f64], [f64; 3])>> WithSimd for AddProducts<'_, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let sum = self.sum;
        let n = sum.len();
        for (vectors, [a, b, c]) in self.products {
            let (x, rest) = vectors.split_at(n);
            let (y, z) = rest.split_at(n);
            for (sum, (x, (y, z))) in sum.iter_mut().zip(x.iter().zip(y.iter().zip(z))) {
                *sum += (a * x + b * y) + c * z;
            }
        }
    }
}

/// Adds the product of two `n × n` matrices to a third, with the processor's vector instructions; zeros of the left one cost nothing.
pub(super) struct AddSparseProduct<'a> {
    pub(super) n: usize,
    pub(super) left: &'a [f64],
    pub(super) right: &'a [f64],
    pub(super) sum: &'a mut [f64],
}

impl AddSparseProduct<'_> {
    pub(super) fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for AddSparseProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let n = self.n.max(1);
        let rows = self.left.chunks_exact(n).zip(self.sum.chunks_exact_mut(n));
        for (left, sum) in rows {
            for (factor, right) in left.iter().zip(self.right.chunks_exact(n)) {
                if *factor != 0.0 {
                    for (sum, right) in sum.iter_mut().zip(right) {
                        *sum += factor * right;
                    }
                }
            }
        }
    }
}

/// Dot product in eight partial sums, with the same result on every machine.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = left.remainder().iter().zip(right.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    let mut sums = [0.0; LANES];
    for (x, y) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest + (((a + e) + (c + g)) + ((b + f) + (d + h)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_fulfils_its_equations() {
        let n: usize = 13;
        // The first diagonal entry is zero, so that rows must be exchanged.
        let matrix: Vec<f64> = (0..n * n)
            .map(|index| {
                let (row, column) = (index / n, index % n);
                let far = row.abs_diff(column) as f64;
                (-far).exp()
                    + if index == 0 {
                        -1.0
                    } else {
                        0.01 * (row as f64).sin()
                    }
            })
            .collect();
        let factors = Factors::new(n, matrix.clone());
        let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let x = factors.solve(&right);
        for row in 0..n {
            let sum: f64 = (0..n).map(|i| matrix[row * n + i] * x[i]).sum();
            assert!((sum - right[row]).abs() < 1e-12, "{row}");
        }
    }

    #[test]
    fn products_add_up() {
        let vectors: Vec<f64> = (0..15).map(|i| f64::from(i).sin()).collect();
        let mut sum = vec![1.0; 5];
        AddProducts {
            sum: &mut sum,
            products: [(&vectors[..], [1.0, 2.0, -3.0])].into_iter(),
        }
        .run();
        for (i, sum) in sum.iter().enumerate() {
            let wanted = 1.0 + vectors[i] + 2.0 * vectors[5 + i] - 3.0 * vectors[10 + i];
            assert!((sum - wanted).abs() < 1e-15);
        }
    }
}

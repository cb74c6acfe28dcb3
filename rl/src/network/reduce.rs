//! Sums over vectors and over rows.

use pulp::{Arch, Simd, WithSimd};

/// Σ xᵢ², over whole cache lines. The order of summation depends only on the processor's vector width.
pub fn sum_of_squares(numbers: &[f32]) -> f64 {
    Arch::new().dispatch(SumOfSquares(numbers))
}

struct SumOfSquares<'a>(&'a [f32]);

impl WithSimd for SumOfSquares<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let (vectors, rest) = S::as_simd_f32s(self.0);
        let mut sums = [simd.splat_f32s(0.0); 4];
        let mut quads = vectors.chunks_exact(4);
        for quad in &mut quads {
            for (sum, vector) in sums.iter_mut().zip(quad) {
                *sum = simd.mul_add_e_f32s(*vector, *vector, *sum);
            }
        }
        for vector in quads.remainder() {
            sums[0] = simd.mul_add_e_f32s(*vector, *vector, sums[0]);
        }
        let rest: f64 = rest.iter().map(|x| f64::from(*x).powi(2)).sum();
        let sums = sums.map(|sum| f64::from(simd.reduce_sum_f32s(sum)));
        rest + sums.iter().sum::<f64>()
    }
}

/// Sums over rows.
pub(crate) struct ColumnSums<'a> {
    /// Shape `[n_rows, width]`.
    pub(crate) rows: &'a [f32],
    /// Shape `[width]`, whole cache lines.
    pub(crate) sums: &'a mut [f32],
    /// Whether to add to the content of `sums`.
    pub(crate) accumulate: bool,
}

impl WithSimd for ColumnSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.sums.len();
        let (sums, _) = S::as_mut_simd_f32s(self.sums);
        if !self.accumulate {
            sums.fill(simd.splat_f32s(0.0));
        }
        for row in self.rows.chunks_exact(width) {
            let (row, _) = S::as_simd_f32s(row);
            for (sum, entry) in sums.iter_mut().zip(row) {
                *sum = simd.add_f32s(*sum, *entry);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_summed() {
        let numbers: Vec<f32> = (0..211).map(|i| i as f32).collect();
        assert_eq!(sum_of_squares(&numbers), f64::from(210 * 211 * 421 / 6));
        assert!(sum_of_squares(&[1.0, f32::NAN]).is_nan());
    }

    #[test]
    fn rows_are_added_up() {
        let rows: Vec<f32> = (0..48).map(|i| i as f32).collect();
        let mut sums = [1.0; 16];
        for accumulate in [false, true] {
            Arch::new().dispatch(ColumnSums {
                rows: &rows,
                sums: &mut sums,
                accumulate,
            });
        }
        assert_eq!(sums[0], 2.0 * 48.0);
        assert_eq!(sums[15], 2.0 * (15.0 + 31.0 + 47.0));
    }
}

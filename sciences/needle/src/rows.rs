//! Equations of the rows.

use nalgebra::{Cholesky, DMatrix, DVector};

/// Sweeps of the bounded rows at most.
const MAX_SWEEPS: usize = 2000;

/// Solution of $A x = b$ for a symmetric positive definite matrix; `None` if it is not positive definite.
pub(crate) fn solve(matrix: DMatrix<f64>, right: &DVector<f64>) -> Option<DVector<f64>> {
    Cholesky::new(matrix).map(|factor| factor.solve(right))
}

/// Rows with bounds: $r = g + A x$, where r = 0 if x is between its bounds, r ≥ 0 at the lower and r ≤ 0 at the upper one. Projected
/// Gauss–Seidel sweeps from `x`, which converge for a symmetric positive definite matrix, until no value changes by more than
/// `tolerance`.
pub(crate) fn solve_bounded(
    matrix: &DMatrix<f64>,
    g: &[f64],
    bounds: &[[f64; 2]],
    x: &mut [f64],
    tolerance: f64,
) {
    for _ in 0..MAX_SWEEPS {
        let mut change = 0.0_f64;
        for i in 0..x.len() {
            let product: f64 = matrix
                .column(i)
                .iter()
                .zip(x.iter())
                .map(|(a, x)| a * x)
                .sum();
            let next = x[i] - (g[i] + product) / matrix[(i, i)];
            let next = next.clamp(bounds[i][0], bounds[i][1]);
            change = change.max((next - x[i]).abs());
            x[i] = next;
        }
        if change <= tolerance {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_rows_obey_their_complementarity() {
        let matrix = DMatrix::from_row_slice(3, 3, &[2.0, 0.5, 0.1, 0.5, 1.0, 0.3, 0.1, 0.3, 3.0]);
        let (g, bounds) = ([-5.0, 0.3, -0.6], [[-1.0, 1.0], [0.0, 2.0], [-9.0, 9.0]]);
        let mut x = [0.0; 3];
        solve_bounded(&matrix, &g, &bounds, &mut x, 1e-14);
        let r = &matrix * DVector::from_row_slice(&x) + DVector::from_row_slice(&g);
        assert!(x[0] == 1.0 && r[0] < 0.0, "{x:?} {r}");
        assert!(x[1] == 0.0 && r[1] > 0.0, "{x:?} {r}");
        assert!(x[2].abs() < 9.0 && r[2].abs() < 1e-12, "{x:?} {r}");
    }
}

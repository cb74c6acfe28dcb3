//! Solution of linear systems with a symmetric matrix that may be singular.

/// Eigenvalues below this share of the matrix's norm are damped, so that forces stay finite in singular postures.
const SINGULAR_SHARE: f64 = 1e-5;

/// Replaces $A^{-1} b$ by $A (A^2 + f^2)^{-1} b$. An eigenvalue $\lambda$ counts as $\lambda + f^2 / \lambda$: eigenvalues far above the
/// floor $f$ are inverted, and directions with eigenvalues far below it are left out.
///
/// The floor is 1e-5 of $\sqrt[4]{\sum \lambda^4}$. This is the largest eigenvalue, or at most 57 % more if all six are equal.
///
/// A matrix that is zero or not finite gives numbers that are not finite.
pub(super) fn damped_solve<const N: usize>(a: &[[f64; N]; N], b: &[f64; N]) -> [f64; N] {
    // The lower triangle of the square.
    let mut square = [[0.0; N]; N];
    let mut fourth = 0.0;
    for (i, sums) in square.iter_mut().enumerate() {
        for (factor, row) in a[i].iter().zip(a) {
            for (sum, entry) in sums[..=i].iter_mut().zip(row) {
                *sum += factor * entry;
            }
        }
        let below: f64 = sums[..i].iter().map(|x| x * x).sum();
        fourth += 2.0 * below + sums[i] * sums[i];
    }
    // (Σ λ⁴)^½ is the squared norm.
    let floor = SINGULAR_SHARE * SINGULAR_SHARE * f64::sqrt(fourth);
    for (i, row) in square.iter_mut().enumerate() {
        row[i] += floor;
    }
    let y = cholesky_solve(square, b);
    std::array::from_fn(|i| (0..N).map(|j| a[i][j] * y[j]).sum())
}

/// Solves with a symmetric positive definite matrix, given by its lower triangle.
fn cholesky_solve<const N: usize>(mut a: [[f64; N]; N], b: &[f64; N]) -> [f64; N] {
    // A = L D Lᵀ without square roots; right-looking, so that the updates do not depend on each other.
    let mut inverse_pivots = [0.0; N];
    let mut x = *b;
    for k in 0..N {
        let inverse = 1.0 / a[k][k];
        inverse_pivots[k] = inverse;
        let mut column = [0.0; N];
        for i in k + 1..N {
            column[i] = a[i][k];
            a[i][k] *= inverse;
        }
        for i in k + 1..N {
            let factor = a[i][k];
            x[i] -= factor * x[k];
            for j in k + 1..=i {
                a[i][j] -= factor * column[j];
            }
        }
    }
    for k in (0..N).rev() {
        let rest: f64 = (k + 1..N).map(|i| a[i][k] * x[i]).sum();
        x[k] = x[k] * inverse_pivots[k] - rest;
    }
    x
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix6, Vector6};

    use super::*;

    fn rows(matrix: &Matrix6<f64>) -> [[f64; 6]; 6] {
        std::array::from_fn(|i| std::array::from_fn(|j| matrix[(i, j)]))
    }

    /// A symmetric matrix with these eigenvalues.
    fn with_eigenvalues(values: Vector6<f64>) -> Matrix6<f64> {
        let basis = Matrix6::from_fn(|i, j| ((i * 6 + j * j) as f64).sin())
            .qr()
            .q();
        basis * Matrix6::from_diagonal(&values) * basis.transpose()
    }

    #[test]
    fn a_regular_matrix_is_inverted_and_a_singular_direction_left_out() {
        let b = Vector6::new(1.0, -2.0, 0.5, 3.0, 0.2, -1.0);
        for least in [0.5, 1e-3, 3e-5, 1e-9, 0.0] {
            let values = Vector6::new(40.0, 11.0, 5.0, 0.7, 2.0, least);
            let a = with_eigenvalues(values);
            let got = Vector6::from(damped_solve(&rows(&a), &b.into()));
            let floor = 1e-5 * values.map(|x| x.powi(4)).sum().powf(0.25);
            let inverse = values.map(|x| x / (x * x + floor * floor));
            let want = with_eigenvalues(inverse) * b;
            let error = (got - want).norm();
            // Squaring the matrix squares its condition number.
            assert!(
                error < 1e-6 * (want.norm() + 1.0 / floor * 1e-3),
                "{least}: {error}"
            );
        }
        let a = with_eigenvalues(Vector6::new(3.0, 2.0, 5.0, 4.0, 2.5, 1.0));
        let got = Vector6::from(damped_solve(&rows(&a), &b.into()));
        let want = a.try_inverse().unwrap() * b;
        assert!((got - want).norm() < 1e-8 * want.norm());
        assert!(damped_solve(&[[f64::NAN; 6]; 6], &b.into())[0].is_nan());
    }
}

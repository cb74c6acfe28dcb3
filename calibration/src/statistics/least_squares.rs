//! Linear least squares on columns, with weights and with a noisy regressor.
//!
//! ```text
//! β = (Xᵀ W X − S)⁻¹ Xᵀ W y        S: what noise adds to Xᵀ W X (Fuller 1987, §1.2); 0 for exact regressors
//! ```
//!
//! Columns are scaled to unit length. The residual is fitted a second time, which removes the rounding error of the
//! normal equations.

use nalgebra::{DMatrix, DVector};

/// Largest condition number with meaningful coefficients: beyond it, half of the digits of a float are lost.
pub(crate) const LARGEST_CONDITION: f64 = 1e8;

/// XᵀWX of columns, shape `[p, p]`.
pub(crate) fn gram(columns: &[Vec<f64>], weights: Option<&[f64]>) -> DMatrix<f64> {
    let p = columns.len();
    let mut gram = DMatrix::zeros(p, p);
    for i in 0..p {
        for j in 0..=i {
            let sum = weighted_dot(&columns[i], &columns[j], weights);
            gram[(i, j)] = sum;
            gram[(j, i)] = sum;
        }
    }
    gram
}

/// Σ wᵢ aᵢ bᵢ in blocks, which the compiler vectorises and which reduce rounding errors.
pub(crate) fn weighted_dot(a: &[f64], b: &[f64], weights: Option<&[f64]>) -> f64 {
    const LANES: usize = 8;
    let n = a.len().min(b.len());
    let term = |i: usize| match weights {
        Some(weights) => a[i] * b[i] * weights[i],
        None => a[i] * b[i],
    };
    let mut lanes = [0.0; LANES];
    for start in (0..n - n % LANES).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += term(start + lane);
        }
    }
    lanes.iter().sum::<f64>() + (n - n % LANES..n).map(term).sum::<f64>()
}

/// The residual y − X β.
pub(crate) fn residual(columns: &[Vec<f64>], target: &[f64], coefficients: &[f64]) -> Vec<f64> {
    let mut residual = target.to_vec();
    for (column, coefficient) in columns.iter().zip(coefficients) {
        for (left, value) in residual.iter_mut().zip(column) {
            *left -= coefficient * value;
        }
    }
    residual
}

/// Inverse of a Gram matrix.
#[derive(Clone, Debug)]
pub(crate) struct Inverse {
    /// The inverse (pseudo-inverse, without the directions that the data do not determine).
    pub(crate) matrix: DMatrix<f64>,
    /// Condition number of the column-scaled regression matrix; infinite if columns are linearly dependent.
    pub(crate) condition: f64,
    /// Whether the data leave a parameter undetermined, shape `[p]`.
    pub(crate) undetermined: Vec<bool>,
}

/// A parameter is undetermined if its share in an undetermined direction exceeds this value.
const SHARE: f64 = 0.1;

/// Inverts after scaling the diagonal by `scale`².
pub(crate) fn scaled_inverse(gram: &DMatrix<f64>, scale: &[f64]) -> Inverse {
    let p = gram.nrows();
    let scale: Vec<f64> = scale
        .iter()
        .map(|&length| if length > 0.0 { length } else { 1.0 })
        .collect();
    let scaled = DMatrix::from_fn(p, p, |i, j| gram[(i, j)] / (scale[i] * scale[j]));
    let eigen = scaled.symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    let least = largest / (LARGEST_CONDITION * LARGEST_CONDITION);
    let mut undetermined = vec![false; p];
    let mut matrix = DMatrix::zeros(p, p);
    for (value, vector) in eigen
        .eigenvalues
        .iter()
        .zip(eigen.eigenvectors.column_iter())
    {
        if *value > least {
            matrix += vector * vector.transpose() / *value;
        } else {
            for (flag, share) in undetermined.iter_mut().zip(vector.iter()) {
                *flag |= share.abs() > SHARE;
            }
        }
    }
    let smallest = eigen.eigenvalues.min();
    Inverse {
        matrix: DMatrix::from_fn(p, p, |i, j| matrix[(i, j)] / (scale[i] * scale[j])),
        condition: if smallest > largest * 1e-16 {
            (largest / smallest).sqrt()
        } else {
            f64::INFINITY
        },
        undetermined,
    }
}

/// Lengths of the columns of a Gram matrix.
pub(crate) fn lengths(gram: &DMatrix<f64>) -> Vec<f64> {
    gram.diagonal().iter().map(|value| value.sqrt()).collect()
}

/// Solves for β; `noise` is S, shape `[p, p]`; `first` is an optional initial approximation.
pub(crate) fn solve(
    columns: &[Vec<f64>],
    target: &[f64],
    weights: Option<&[f64]>,
    noise: &DMatrix<f64>,
    first: Option<Vec<f64>>,
) -> Vec<f64> {
    let plain = gram(columns, weights);
    let scale = lengths(&plain);
    let inverse = scaled_inverse(&(plain - noise), &scale);
    let rounds = if first.is_some() { 1 } else { 2 };
    let mut coefficients = DVector::from_vec(first.unwrap_or_else(|| vec![0.0; columns.len()]));
    for _ in 0..rounds {
        let left = residual(columns, target, coefficients.as_slice());
        let score = DVector::from_iterator(
            columns.len(),
            columns
                .iter()
                .map(|column| weighted_dot(column, &left, weights)),
        ) + noise * &coefficients;
        coefficients += &inverse.matrix * score;
    }
    coefficients.as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Vec<f64>> {
        let time: Vec<f64> = (0..50).map(|i| 0.02 * f64::from(i)).collect();
        vec![
            time.clone(),
            time.iter().map(|t| 1e-4 * (7.0 * t).cos()).collect(),
        ]
    }

    #[test]
    fn columns_of_any_scale_are_solved_to_rounding() {
        let columns = columns();
        let target: Vec<f64> = (0..50)
            .map(|i| 3.0 * columns[0][i] - 2e4 * columns[1][i])
            .collect();
        let solution = solve(&columns, &target, None, &DMatrix::zeros(2, 2), None);
        assert!((solution[0] / 3.0 - 1.0).abs() < 1e-13);
        assert!((solution[1] / -2e4 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn what_the_data_leave_open_is_named() {
        let mut columns = columns();
        columns.push(columns[1].iter().map(|value| -5.0 * value).collect());
        columns.push(vec![0.0; 50]);
        let gram = gram(&columns, None);
        let inverse = scaled_inverse(&gram, &lengths(&gram));
        assert_eq!(inverse.undetermined, [false, true, true, true]);
        assert!(inverse.matrix.iter().all(|value| value.is_finite()));
        assert!(inverse.condition.is_infinite());
    }

    #[test]
    fn weights_count_rows() {
        let columns = vec![vec![1.0; 3]];
        let weights = [1.0, 2.0, 0.0];
        let noise = DMatrix::zeros(1, 1);
        let solution = solve(&columns, &[1.0, 4.0, 99.0], Some(&weights), &noise, None);
        assert!((solution[0] - 3.0).abs() < 1e-12);
    }
}

//! Base parameters: the combinations of standard parameters that torques identify (Gautier 1991).
//!
//! The regressor is stacked at many states, each column is scaled to unit length, and the matrix is factored by QR with column pivoting.
//! The pivots drop by many orders of magnitude at the rank. The columns before the drop are independent, and the others are their combinations: W_d = W_b K, so that W δ = W_b (δ_b + K δ_d), and the base parameters are δ_b + K δ_d.

use nalgebra::{DMatrix, DVector};

use super::regressor::{N_PARAMETERS, parameter_name};
use crate::joints::{JointVector, N_JOINTS};
use crate::psm::Psm;

/// Ratio of a pivot to the first pivot below which a column depends on the earlier columns; no pivot lies near this limit, as the gap spans eleven orders.
const RANK_TOLERANCE: f64 = 1e-9;
/// Number of states of the stacked regressor: it has many times more rows than parameters.
const N_STATES: usize = 120;
/// Entries of K below this value are rounding errors.
const NEGLIGIBLE: f64 = 1e-7;

/// The base parameters of an arm.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseParameters {
    /// Indices of the standard parameters whose columns are independent, ascending.
    pub independent: Vec<usize>,
    /// Base parameters per standard parameter, shape [n_base, 115]; the columns `independent` form the identity.
    pub from_standard: DMatrix<f64>,
    /// Pivots of the factorisation over the first pivot, in descending order; a gap between them marks the rank.
    pub pivots: Vec<f64>,
}

impl BaseParameters {
    /// The base parameters of `psm`. They depend only on its kinematics.
    pub fn of(psm: &Psm) -> Self {
        let stacked = stacked_regressor(psm);
        // A column of rounding errors must not be scaled up to unit length: it stays close to zero.
        let norms: Vec<f64> = stacked.column_iter().map(|column| column.norm()).collect();
        let longest = norms.iter().copied().fold(0.0, f64::max);
        let scale: Vec<f64> = (norms.iter())
            .map(|norm| {
                if *norm > RANK_TOLERANCE * longest {
                    *norm
                } else {
                    longest
                }
            })
            .collect();
        let mut scaled = stacked.clone();
        for (mut column, norm) in scaled.column_iter_mut().zip(&scale) {
            column /= *norm;
        }
        let (order, pivots) = pivoted_columns(scaled);
        let rank = pivots.iter().filter(|p| **p > RANK_TOLERANCE).count();
        let mut independent = order[..rank].to_vec();
        independent.sort_unstable();

        // Express every column by the independent ones, by least squares without a residual.
        let normalised = |index: usize| stacked.column(index) / scale[index];
        let columns: Vec<DVector<f64>> = independent.iter().map(|i| normalised(*i)).collect();
        let qr = DMatrix::from_columns(&columns).qr();
        let mut from_standard = qr.q().transpose() * &stacked;
        let solved = qr.r().solve_upper_triangular_mut(&mut from_standard);
        debug_assert!(solved, "pivots before the rank are not zero");
        for (mut row, index) in from_standard.row_iter_mut().zip(&independent) {
            row /= scale[*index];
        }
        from_standard.apply(|entry| {
            if entry.abs() < NEGLIGIBLE {
                *entry = 0.0;
            }
        });
        for (row, index) in independent.iter().enumerate() {
            from_standard.column_mut(*index).fill(0.0);
            from_standard[(row, *index)] = 1.0;
        }
        Self {
            independent,
            from_standard,
            pivots,
        }
    }

    /// Number of base parameters.
    pub fn n(&self) -> usize {
        self.independent.len()
    }

    /// Names of the base parameters as combinations such as `L2xx - L2yy + 0.04009 l2x`.
    pub fn names(&self) -> Vec<String> {
        self.independent
            .iter()
            .zip(self.from_standard.row_iter())
            .map(|(index, row)| {
                let others = (0..N_PARAMETERS).filter(|other| other != index);
                let terms = others.filter(|other| row[*other] != 0.0).map(|other| {
                    let sign = if row[other] < 0.0 { '-' } else { '+' };
                    let size = row[other].abs();
                    let factor = if (size - 1.0).abs() < NEGLIGIBLE {
                        String::new()
                    } else {
                        format!("{} ", (size * 1e7).round() / 1e7)
                    };
                    format!(" {sign} {factor}{}", parameter_name(other))
                });
                parameter_name(*index) + &terms.collect::<String>()
            })
            .collect()
    }
}

/// Regressors at states that fill the ranges evenly (Weyl sequence: multiples of square roots of primes), shape [7 n, 115].
fn stacked_regressor(psm: &Psm) -> DMatrix<f64> {
    let mut stacked = DMatrix::zeros(N_JOINTS * N_STATES, N_PARAMETERS);
    for state in 0..N_STATES {
        let number = |column: usize| {
            let root = PRIMES[column].sqrt() * (state + 1) as f64;
            2.0 * root.fract() - 1.0
        };
        let vector = |first: usize| JointVector::from_fn(|joint, _| number(first + joint));
        let y = psm.regressor(&vector(0), &vector(N_JOINTS), &vector(2 * N_JOINTS));
        stacked
            .view_mut((N_JOINTS * state, 0), (N_JOINTS, N_PARAMETERS))
            .copy_from(&y);
    }
    stacked
}

const PRIMES: [f64; 3 * N_JOINTS] = [
    2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0, 41.0, 43.0, 47.0, 53.0,
    59.0, 61.0, 67.0, 71.0, 73.0,
];

/// Columns in the pivoting order of modified Gram-Schmidt, and their pivots over the first pivot.
fn pivoted_columns(mut columns: DMatrix<f64>) -> (Vec<usize>, Vec<f64>) {
    let mut left: Vec<usize> = (0..columns.ncols()).collect();
    let (mut order, mut pivots) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        // Take the longest remaining column; of equal ones the first, so that rounding does not change the choice.
        let mut best = 0;
        for candidate in 1..left.len() {
            let (norm, longest) = (
                columns.column(left[candidate]).norm(),
                columns.column(left[best]).norm(),
            );
            if norm > longest * (1.0 + 1e-9) {
                best = candidate;
            }
        }
        let taken = left.remove(best);
        let norm = columns.column(taken).norm();
        order.push(taken);
        pivots.push(norm);
        if norm > 0.0 {
            let direction = columns.column(taken) / norm;
            // Two passes are enough: the second removes the rounding errors of the first.
            for _ in 0..2 {
                for index in &left {
                    let overlap = direction.dot(&columns.column(*index));
                    columns.column_mut(*index).axpy(-overlap, &direction, 1.0);
                }
            }
        }
    }
    let first = pivots[0];
    (
        order,
        pivots.into_iter().map(|pivot| pivot / first).collect(),
    )
}

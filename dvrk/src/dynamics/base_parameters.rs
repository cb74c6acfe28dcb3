//! The combinations of standard parameters that torques can show (Gautier 1991).
//!
//! Rows of the regressor at many states, each column scaled to unit length, are factored by QR with column pivoting.
//! Its diagonal falls by many orders where the rank ends; the pivots before it are independent columns, the others are their combinations: W_d = W_b K, so that W δ = W_b (δ_b + K δ_d) and the base parameters are δ_b + K δ_d.

use nalgebra::{DMatrix, DVector};

use super::regressor::{N_PARAMETERS, parameter_name};
use crate::psm::{JointVector, N_JOINTS, Psm};

/// Ratio of a pivot to the first below which a column depends on those before it; between are eleven orders of nothing.
const RANK_TOLERANCE: f64 = 1e-9;
/// States at which the regressor is looked at: their rows are many times the parameters.
const N_STATES: usize = 120;
/// Entries of K below are rounding.
const NEGLIGIBLE: f64 = 1e-7;

/// The base parameters of an arm.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseParameters {
    /// Indices of the standard parameters whose columns are independent, ascending.
    pub independent: Vec<usize>,
    /// Base parameters per standard parameter, shape [n_base, 115]: the identity at `independent`.
    pub from_standard: DMatrix<f64>,
    /// Pivots of the factorisation over the first, in falling order: where the rank shows.
    pub pivots: Vec<f64>,
}

impl BaseParameters {
    /// The base parameters of `psm`, whose kinematics alone they depend on.
    pub fn of(psm: &Psm) -> Self {
        let stacked = stacked_regressor(psm);
        // A column of rounding alone must not be blown up to unit length: it stays as good as zero.
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

        // Every column from the independent ones, by least squares that leave no residual.
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

    /// How many there are.
    pub fn n(&self) -> usize {
        self.independent.len()
    }

    /// Each as a combination such as `L2xx - L2yy + 0.04009 l2x`.
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

/// Regressors at states that fill the ranges evenly (a sequence of Weyl: multiples of square roots of primes), shape [7 n, 115].
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

/// Columns in the order in which modified Gram-Schmidt with pivoting takes them, and their pivots over the first.
fn pivoted_columns(mut columns: DMatrix<f64>) -> (Vec<usize>, Vec<f64>) {
    let mut left: Vec<usize> = (0..columns.ncols()).collect();
    let (mut order, mut pivots) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        // The longest rest; of equals, the first, so that the choice depends on no rounding of order.
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
            // Twice is enough: the second pass removes what rounding left of the first.
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

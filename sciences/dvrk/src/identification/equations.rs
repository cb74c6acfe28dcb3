//! Weighted equations of the independent samples of a log, and the base parameters that they do not determine.

use nalgebra::{DMatrix, DVector};

use super::observations::Observations;
use super::robust;
use crate::dynamics::BaseParameters;
use crate::error::DvrkError;
use crate::joints::N_JOINTS;

/// Method of the fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Ordinary least squares on the base parameters: 1 N m and 1 N have equal weight.
    Ols,
    /// Weighted least squares: each joint's torques are divided by their range, as in Wang et al. 2019.
    Wls,
    /// Weighted fit over physically feasible parameters, a semidefinite programme.
    Sdp,
}

/// Condition number above which a log does not identify all base parameters.
const MAX_CONDITION: f64 = 1e6;
/// Component of an undetermined direction (columns of unit length) above which a base parameter counts as undetermined.
const OPEN_SHARE: f64 = 1e-3;

/// The weighted equations of the joints that move.
pub(super) struct Equations {
    /// Weighted columns and torques per joint; a joint at rest has no rows.
    joints: [(DMatrix<f64>, DVector<f64>); N_JOINTS],
    /// Upper triangle of the QR factorisation of all equations.
    pub(super) upper: DMatrix<f64>,
    /// Qᵀ times the weighted torques.
    projected: DVector<f64>,
    /// Indices of base parameters that the moving joints do not determine, or only in combinations; they are held at the given values.
    pub(super) open: Vec<usize>,
}

impl Equations {
    pub(super) fn of(observations: &Observations, method: Method) -> Self {
        let samples = observations.samples();
        let joints = std::array::from_fn(|joint| {
            let torque = observations.torque.iter().map(|torque| torque[joint]);
            let (low, high) = torque.fold((f64::MAX, f64::MIN), |(l, h), t| (l.min(t), h.max(t)));
            let weight = match method {
                Method::Ols => 1.0,
                Method::Wls | Method::Sdp => 1.0 / (high - low).max(f64::EPSILON),
            };
            let matrix = &observations.regressor[joint];
            let n_rows = if observations.at_rest[joint] {
                0
            } else {
                samples.len()
            };
            let columns = DMatrix::from_fn(n_rows, matrix.ncols(), |row, column| {
                weight * matrix[(samples[row], column)]
            });
            let torques = samples
                .iter()
                .take(n_rows)
                .map(|s| weight * observations.torque[*s][joint]);
            (columns, DVector::from_iterator(n_rows, torques))
        });
        let n_base = observations.regressor[0].ncols();
        let n_rows = joints.iter().map(|(columns, _)| columns.nrows()).sum();
        let mut all = DMatrix::zeros(n_rows, n_base);
        let mut right = DVector::zeros(n_rows);
        let mut row = 0;
        for (columns, torques) in &joints {
            all.rows_mut(row, columns.nrows()).copy_from(columns);
            right.rows_mut(row, columns.nrows()).copy_from(torques);
            row += columns.nrows();
        }
        let qr = all.qr();
        Self {
            joints,
            upper: qr.r(),
            projected: qr.q().transpose() * right,
            open: Vec::new(),
        }
    }

    /// Holds directions that are undetermined because joints are at rest at the `given` base parameters: one equation per undetermined direction, without effect on the others.
    pub(super) fn hold_open(&mut self, given: &DVector<f64>) {
        let norms = self.upper.column_iter().map(|column| column.norm());
        let longest = norms.clone().fold(0.0, f64::max);
        let norms: Vec<f64> = norms
            .map(|norm| if norm > 1e-9 * longest { norm } else { longest })
            .collect();
        let mut scaled = self.upper.clone();
        for (mut column, norm) in scaled.column_iter_mut().zip(&norms) {
            column /= *norm;
        }
        let n_base = given.len();
        // Use eigenvectors of the Gram matrix: it has the same null space, and the squared limit is above rounding errors.
        let eigen = (scaled.transpose() * &scaled).symmetric_eigen();
        let largest = eigen.eigenvalues.max();
        let limit = largest / (MAX_CONDITION * MAX_CONDITION);
        let directions: Vec<DVector<f64>> = (0..n_base)
            .filter(|index| eigen.eigenvalues[*index] < limit)
            .map(|index| eigen.eigenvectors.column(index).into_owned())
            .collect();
        if directions.is_empty() {
            return;
        }
        self.open = (0..n_base)
            .filter(|index| {
                directions.iter().map(|d| d[*index].powi(2)).sum::<f64>() > OPEN_SHARE.powi(2)
            })
            .collect();
        let (old, held) = (self.upper.nrows(), directions.len());
        let mut all = DMatrix::zeros(old + held, n_base);
        let mut right = DVector::zeros(old + held);
        all.rows_mut(0, old).copy_from(&self.upper);
        right.rows_mut(0, old).copy_from(&self.projected);
        for (row, direction) in (old..).zip(&directions) {
            for (column, norm) in norms.iter().enumerate() {
                all[(row, column)] = direction[column] * norm;
                right[row] += direction[column] * norm * given[column];
            }
        }
        let qr = all.qr();
        self.projected = qr.q().transpose() * right;
        self.upper = qr.r();
    }

    /// Condition number of the equations with columns of unit length.
    pub(super) fn condition_number(
        &self,
        base: &BaseParameters,
        log: &str,
    ) -> Result<f64, DvrkError> {
        let mut scaled = self.upper.clone();
        let mut still = Vec::new();
        for (index, mut column) in scaled.column_iter_mut().enumerate() {
            let norm = column.norm();
            if norm > 0.0 {
                column /= norm;
            } else {
                still.push(base.names()[index].clone());
            }
        }
        let values = scaled.singular_values();
        let condition = values.max() / values.min();
        if still.is_empty() && condition < MAX_CONDITION {
            return Ok(condition);
        }
        let what = if still.is_empty() {
            format!("its condition number is {condition:.3e}; it must be below {MAX_CONDITION:e}")
        } else {
            format!("it does not determine {}", still.join("; "))
        };
        Err(DvrkError::Log {
            file: log.to_owned(),
            problem: format!(
                "the motion does not excite every base parameter: {what}; move all joints, fast and far"
            ),
        })
    }

    pub(super) fn solve(&self) -> Option<DVector<f64>> {
        self.upper.solve_upper_triangular(&self.projected)
    }

    /// Root mean square of the weighted residuals, at least a millionth of the torques, which is below the resolution of any reading.
    pub(super) fn residual_deviation(&self, values: &DVector<f64>) -> f64 {
        let n: usize = self.joints.iter().map(|(columns, _)| columns.nrows()).sum();
        let freedom = n.saturating_sub(values.len()).max(1) as f64;
        let sum: f64 = (self.joints.iter())
            .map(|(columns, torques)| (torques - columns * values).norm_squared())
            .sum();
        let torques: f64 = self.joints.iter().map(|(_, t)| t.norm_squared()).sum();
        (sum / freedom)
            .sqrt()
            .max(1e-6 * (torques / n as f64).sqrt())
    }

    /// (RᵀR)⁻¹.
    fn bread(&self) -> DMatrix<f64> {
        let n = self.upper.ncols();
        let inverse = self
            .upper
            .solve_upper_triangular(&DMatrix::identity(n, n))
            .unwrap_or_else(|| DMatrix::from_element(n, n, f64::INFINITY));
        &inverse * inverse.transpose()
    }

    /// Standard errors with a separate variance per joint: roots of the diagonal of H (Σ s² AᵀA) H with H = (RᵀR)⁻¹; infinite for undetermined parameters.
    pub(super) fn standard_errors(&self, values: &DVector<f64>) -> DVector<f64> {
        let n_base = values.len();
        let shared = n_base as f64 / N_JOINTS as f64;
        let mut middle = DMatrix::zeros(n_base, n_base);
        for (columns, torques) in &self.joints {
            let freedom = (columns.nrows() as f64 - shared).max(1.0);
            let variance = (torques - columns * values).norm_squared() / freedom;
            middle += columns.transpose() * columns * variance;
        }
        let bread = self.bread();
        let mut errors = (&bread * middle * &bread).diagonal().map(f64::sqrt);
        for index in &self.open {
            errors[*index] = f64::INFINITY;
        }
        errors
    }

    /// Covariance of the values with correlated residuals. It is zero along undetermined directions, which another log of the same joints does not determine either.
    pub(super) fn covariance(
        &self,
        values: &DVector<f64>,
        timing: &robust::Timing,
    ) -> DMatrix<f64> {
        let n = (self.joints.iter().map(|(columns, _)| columns.nrows())).max();
        let n = n.unwrap_or(0);
        let mut scores = DMatrix::zeros(n, values.len());
        for (columns, torques) in &self.joints {
            let rest = torques - columns * values;
            for (row, residual) in rest.iter().enumerate() {
                let mut score = scores.row_mut(row);
                score += columns.row(row) * *residual;
            }
        }
        let n_rows: usize = self.joints.iter().map(|(columns, _)| columns.nrows()).sum();
        let freedom = n_rows.saturating_sub(values.len()).max(1) as f64;
        robust::covariance(&scores, &self.bread(), timing) * (n_rows as f64 / freedom)
    }
}

//! From a log to parameters: ordinary and weighted least squares on the base parameters, and the feasible fit of the standard ones.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::feasible::{self, BaseMisfit, Preference};
use super::filter::Filtering;
use super::log::MotionLog;
use super::observations::Observations;
use crate::dynamics::BaseParameters;
use crate::error::DvrkError;
use crate::psm::{JointVector, N_JOINTS, Psm};

/// Condition number above which a log does not tell base parameters apart.
const MAX_CONDITION: f64 = 1e6;
/// How much worse than free least squares, in variances of the fit, feasible parameters may be for least squares to count as feasible.
const FEASIBLE_EXCESS: f64 = 1e-2;

/// How parameters are fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Ordinary least squares on the base parameters: each N m and N counts alike.
    Ols,
    /// Weighted least squares: each joint's torques count over their range, as Wang et al. 2019 weigh them.
    Wls,
    /// The weighted fit over parameters of bodies that can exist, a semidefinite programme.
    Sdp,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// Which combinations of standard parameters the values belong to.
    pub base: BaseParameters,
    /// Base parameters, in the order of [`BaseParameters::names`], SI units.
    pub values: DVector<f64>,
    /// Standard errors of the least-squares fit with the same weights, SI units: those of the feasible fit are not larger.
    pub standard_errors: DVector<f64>,
    /// Condition number of the weighted equations with columns of unit length.
    pub condition_number: f64,
    /// Whether bodies can have these values: pseudo-inertias positive definite, masses and centres within bounds, friction and motor inertia not negative.
    pub feasible: bool,
    /// An arm with these base parameters, or with the nearest feasible ones where they are not feasible.
    pub psm: Psm,
    /// How the log was filtered, and others are for [`Identification::relative_error`].
    pub filtering: Filtering,
}

impl Identification {
    /// Fits the parameters of an arm with the kinematics of `psm` to a log.
    ///
    /// # Errors
    ///
    /// [`DvrkError`] where the log is too short, the cut-off does not fit its rate, or the motion leaves base parameters open; it names these.
    pub fn fit(
        psm: &Psm,
        log: &MotionLog,
        method: Method,
        filtering: Filtering,
    ) -> Result<Self, DvrkError> {
        let base = BaseParameters::of(psm);
        let observations = Observations::of(psm, &base, log, &filtering)?;
        let equations = Equations::of(&observations, method);
        let condition_number = equations.condition_number(&base, &log.name)?;
        let free = equations.solve();
        let standard_errors = equations.standard_errors(&free);

        // The feasible fit, in units of the residuals of the free one.
        let deviation = equations.residual_deviation(&free);
        let misfit = BaseMisfit {
            from_standard: &base.from_standard,
            independent: &base.independent,
            factor: &equations.upper / deviation,
            target: &equations.upper * &free / deviation,
        };
        let preference = Preference {
            centre: &feasible::typical(),
            weight: feasible::PULL,
        };
        let delta = feasible::solve(&misfit, &preference, feasible::GAP)?;
        let (values, feasible) = match method {
            Method::Ols | Method::Wls => (free, misfit.value(&delta) < FEASIBLE_EXCESS),
            Method::Sdp => (&base.from_standard * &delta, feasible::is_feasible(&delta)),
        };
        Ok(Self {
            base,
            values,
            standard_errors,
            condition_number,
            feasible,
            psm: psm.clone().with_parameters(&delta),
            filtering,
        })
    }

    /// Norm of the torque error over norm of the torque on a log, per joint in the log's coordinates.
    ///
    /// # Errors
    ///
    /// [`DvrkError`] where the log is too short or the cut-off does not fit its rate.
    pub fn relative_error(&self, log: &MotionLog) -> Result<JointVector, DvrkError> {
        let comparison = self.compare(log)?;
        Ok(JointVector::from_fn(|joint, _| {
            let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
            let error = norm(
                &mut comparison
                    .iter()
                    .map(|[measured, model]| measured[joint] - model[joint]),
            );
            let torque = norm(&mut comparison.iter().map(|[measured, _]| measured[joint]));
            if torque > 0.0 {
                (error / torque).sqrt()
            } else {
                0.0
            }
        }))
    }

    /// Measured and predicted torques of a log, filtered alike and without the second cut at each end, in the log's coordinates [N m, N].
    ///
    /// # Errors
    ///
    /// As [`Identification::relative_error`].
    pub fn compare(&self, log: &MotionLog) -> Result<Vec<[JointVector; 2]>, DvrkError> {
        let observations = Observations::of(&self.psm, &self.base, log, &self.filtering)?;
        let predicted: Vec<DVector<f64>> = (observations.regressor.iter())
            .map(|columns| columns * &self.values)
            .collect();
        let model = |sample: usize| JointVector::from_fn(|joint, _| predicted[joint][sample]);
        let measured = observations.torque.iter().enumerate();
        Ok(measured
            .map(|(sample, torque)| [*torque, model(sample)])
            .collect())
    }
}

/// The weighted equations of the independent samples.
struct Equations {
    /// Per joint, the weighted columns and torques.
    joints: [(DMatrix<f64>, DVector<f64>); N_JOINTS],
    /// Upper triangle of the QR factorisation of all.
    upper: DMatrix<f64>,
    /// Qᵀ times the weighted torques.
    projected: DVector<f64>,
}

impl Equations {
    fn of(observations: &Observations, method: Method) -> Self {
        let n = observations.n();
        let samples: Vec<usize> = (0..n).step_by(observations.stride).collect();
        let joints = std::array::from_fn(|joint| {
            let torque = observations.torque.iter().map(|torque| torque[joint]);
            let (low, high) = torque.fold((f64::MAX, f64::MIN), |(l, h), t| (l.min(t), h.max(t)));
            let weight = match method {
                Method::Ols => 1.0,
                Method::Wls | Method::Sdp => 1.0 / (high - low).max(f64::EPSILON),
            };
            let matrix = &observations.regressor[joint];
            let columns = DMatrix::from_fn(samples.len(), matrix.ncols(), |row, column| {
                weight * matrix[(samples[row], column)]
            });
            let torques = samples
                .iter()
                .map(|s| weight * observations.torque[*s][joint]);
            (columns, DVector::from_iterator(samples.len(), torques))
        });
        let rows: Vec<RowDVector<f64>> = (joints.iter())
            .flat_map(|(columns, _): &(DMatrix<f64>, _)| {
                columns.row_iter().map(nalgebra::Matrix::into_owned)
            })
            .collect();
        let right = DVector::from_iterator(
            rows.len(),
            joints.iter().flat_map(|(_, t)| t.iter().copied()),
        );
        let qr = DMatrix::from_rows(&rows).qr();
        Self {
            joints,
            upper: qr.r(),
            projected: qr.q().transpose() * right,
        }
    }

    /// Condition number of the equations with columns of unit length.
    fn condition_number(&self, base: &BaseParameters, log: &str) -> Result<f64, DvrkError> {
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
            format!("its condition number is {condition:.3e}, allowed: below {MAX_CONDITION:e}")
        } else {
            format!("it says nothing of {}", still.join("; "))
        };
        Err(DvrkError::Log {
            file: log.to_owned(),
            problem: format!(
                "the motion does not excite every base parameter: {what}; move all joints, fast and far"
            ),
        })
    }

    fn solve(&self) -> DVector<f64> {
        self.upper
            .solve_upper_triangular(&self.projected)
            .expect("the condition number is finite")
    }

    /// Root mean square of the weighted residuals; at least a millionth of the torques', which no reading resolves.
    fn residual_deviation(&self, values: &DVector<f64>) -> f64 {
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

    /// Standard errors where each joint has its own variance: those of H (Σ s² AᵀA) H with H = (RᵀR)⁻¹.
    fn standard_errors(&self, values: &DVector<f64>) -> DVector<f64> {
        let n_base = values.len();
        let shared = n_base as f64 / N_JOINTS as f64;
        let mut middle = DMatrix::zeros(n_base, n_base);
        for (columns, torques) in &self.joints {
            let freedom = (columns.nrows() as f64 - shared).max(1.0);
            let variance = (torques - columns * values).norm_squared() / freedom;
            middle += columns.transpose() * columns * variance;
        }
        let inverse = (self.upper)
            .solve_upper_triangular(&DMatrix::identity(n_base, n_base))
            .expect("the condition number is finite");
        let bread = &inverse * inverse.transpose();
        (&bread * middle * &bread).diagonal().map(f64::sqrt)
    }
}

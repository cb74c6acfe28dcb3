//! Parameters from a log: ordinary and weighted least squares on the base parameters, and the feasible fit of the standard parameters.

use nalgebra::{DMatrix, DVector};

use super::checks;
use super::equations::{Equations, Method};
use super::feasible::{self, BaseMisfit, Preference};
use super::filter::Filtering;
use super::motion_log::MotionLog;
use super::observations::Observations;
use crate::dynamics::BaseParameters;
use crate::error::DvrkError;
use crate::joints::{JointVector, N_JOINTS};
use crate::psm::Psm;

/// Maximum excess of the feasible fit over free least squares, in variances of the fit, for least squares to count as feasible.
const FEASIBLE_EXCESS: f64 = 1e-2;

/// Result of an identification.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// The combinations of standard parameters to which the values belong.
    pub base: BaseParameters,
    /// Base parameters, in the order of [`BaseParameters::names`], SI units.
    pub values: DVector<f64>,
    /// Standard errors of the least-squares fit with the same weights, SI units. The errors of the feasible fit are not larger.
    pub standard_errors: DVector<f64>,
    /// Covariance of the least-squares values with correlated residuals, for quantities derived from them; shape [n_base, n_base].
    pub covariance: DMatrix<f64>,
    /// Root mean square residual of the least-squares fit, in the log's coordinates [N m, N]; 0 for joints at rest.
    pub residual: JointVector,
    /// Joints at rest in the log: their torques are not fitted, and their [`Identification::relative_error`] is NaN.
    pub at_rest: [bool; N_JOINTS],
    /// Indices of base parameters that the moving joints do not identify: they keep the values of the given arm and have infinite standard errors.
    pub not_identified: Vec<usize>,
    /// Warnings about the result, one sentence each.
    pub notes: Vec<String>,
    /// Condition number of the weighted equations with columns of unit length.
    pub condition_number: f64,
    /// Whether the values are physically feasible: pseudo-inertias positive definite, masses and centres within bounds, friction and motor inertia non-negative.
    pub feasible: bool,
    /// An arm with these base parameters, or with the nearest feasible ones if they are not feasible.
    pub psm: Psm,
    /// Filtering of the log, which is also applied to other logs in [`Identification::relative_error`].
    pub filtering: Filtering,
}

impl Identification {
    /// Fits the parameters of an arm with the kinematics of `psm` to a log.
    ///
    /// Joints at rest ([`MotionLog::joints_at_rest`]) are left out: base parameters that the other joints do not identify keep the values of `psm`.
    ///
    /// # Errors
    ///
    /// [`DvrkError`] if the log is too short, the cut-off does not fit its rate, or the motion does not identify some base parameters, which it names.
    /// [`DvrkError::Log`] if torques have the opposite sign or another unit: friction would drive the motion, or torques are many times those of `psm`.
    /// [`DvrkError::Log`] if no feasible bodies explain the log and the method is [`Method::Sdp`].
    pub fn fit(
        psm: &Psm,
        log: &MotionLog,
        method: Method,
        filtering: Filtering,
    ) -> Result<Self, DvrkError> {
        let base = BaseParameters::of(psm);
        let observations = Observations::of(psm, &base, log, &filtering)?;
        if observations.at_rest.iter().all(|at_rest| *at_rest) {
            return Err(DvrkError::Log {
                file: log.name.clone(),
                problem: "no joint moves by more than 0.01 rad or 0.5 mm: is it the log of an excitation, in rad and m".to_owned(),
            });
        }
        let given = &base.from_standard * psm.parameters();
        let mut equations = Equations::of(&observations, method);
        if observations.at_rest.contains(&true) {
            equations.hold_open(&given);
        }
        let condition_number = equations.condition_number(&base, &log.name)?;
        let free = equations.solve().ok_or_else(|| DvrkError::Log {
            file: log.name.clone(),
            problem: "the motion does not excite every base parameter".to_owned(),
        })?;
        checks::torques(log, &observations, &base, &free, &given)?;
        let standard_errors = equations.standard_errors(&free);
        let covariance = equations.covariance(&free, &observations.timing);
        let residual = observations.residual(&free);

        // The feasible fit, in units of the residuals of the free fit.
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
        let mut notes = checks::notes(&observations, &base, &equations.open, &residual);
        let (values, feasible, delta) = match feasible::solve(&misfit, &preference, feasible::GAP) {
            Ok(delta) if method == Method::Sdp => {
                let values = &base.from_standard * &delta;
                (values, feasible::is_feasible(&delta), delta)
            }
            Ok(delta) => (free, misfit.value(&delta) < FEASIBLE_EXCESS, delta),
            Err(DvrkError::NoConvergence(reason)) if method == Method::Sdp => {
                return Err(DvrkError::Log {
                    file: log.name.clone(),
                    problem: format!(
                        "no bodies that can exist were found with these torques ({reason}); look at units and signs of q, dq and tau, or fit without bodies: --method wls"
                    ),
                });
            }
            Err(DvrkError::NoConvergence(_)) => {
                notes.push("No bodies that can exist were found with these parameters: the standard parameters are those next to the given arm's with the same torques.".to_owned());
                let delta = with_base_values(psm, &base, &free)?;
                (free, false, delta)
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            base,
            values,
            standard_errors,
            covariance,
            residual,
            at_rest: observations.at_rest,
            not_identified: equations.open,
            notes,
            condition_number,
            feasible,
            psm: psm.clone().with_parameters(&delta),
            filtering,
        })
    }

    /// Norm of the torque error over norm of the torque on a log, per joint in the log's coordinates; NaN for joints at rest in this log or in the fitted log.
    ///
    /// # Errors
    ///
    /// [`DvrkError`] if the log is too short, the cut-off does not fit its rate, or its torques have the opposite sign.
    pub fn relative_error(&self, log: &MotionLog) -> Result<JointVector, DvrkError> {
        let comparison = self.compare(log)?;
        let still = log.joints_at_rest();
        checks::same_sign(log, &comparison)?;
        Ok(JointVector::from_fn(|joint, _| {
            if still[joint] || self.at_rest[joint] {
                return f64::NAN;
            }
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

    /// Measured and predicted torques of a log, both filtered, without the second at each end that is cut off, in the log's coordinates [N m, N].
    ///
    /// # Errors
    ///
    /// The same as [`Identification::relative_error`].
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

/// Standard parameters with the base parameters `values`, by the smallest change of those of `psm`.
fn with_base_values(
    psm: &Psm,
    base: &BaseParameters,
    values: &DVector<f64>,
) -> Result<DVector<f64>, DvrkError> {
    let mut delta = psm.parameters();
    let gram = &base.from_standard * base.from_standard.transpose();
    let rest = values - &base.from_standard * &delta;
    let change = gram.cholesky().map(|cholesky| cholesky.solve(&rest));
    let change = change.ok_or_else(|| {
        DvrkError::NoConvergence("base parameters depend on each other".to_owned())
    })?;
    delta += base.from_standard.transpose() * change;
    Ok(delta)
}

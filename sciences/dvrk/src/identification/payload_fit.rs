//! Identification of a payload from a log: mass and centre of a compact body on the carriage.
//!
//! Friction changes from day to day, so Coulomb, viscous and constant friction of joints 1 to 3 are fitted together with the payload.
//! Intervals account for correlated residuals ([`super::robust`]) and for the uncertainty of the reference log.

use nalgebra::Vector3;

use super::filter::Filtering;
use super::identify::Identification;
use super::motion_log::MotionLog;
use super::observations::Observations;
use super::payload::{CARRYING, Payload};
use super::payload_equations::{FRICTION_COLUMN, MASS, MOMENT, PayloadEquations, Reference};
use super::{checks, payload_checks};
use crate::dynamics::BaseParameters;
use crate::error::DvrkError;
use crate::psm::Psm;

/// Minimum residual of a reference as a fraction of the torques: even a smooth log has corners of friction and quantised readings.
const RESOLVED: f64 = 5e-3;

impl Payload {
    /// Identifies the payload with which `psm` reproduces the torques of a log; the inertia of `psm` is taken as exact.
    ///
    /// If the arm was identified from another log, this interval is too narrow: use [`Identification::payload`], which includes the uncertainty of that log.
    ///
    /// # Errors
    ///
    /// The same as [`Identification::payload`].
    pub fn identify(psm: &Psm, log: &MotionLog, filtering: &Filtering) -> Result<Self, DvrkError> {
        let base = BaseParameters::of(psm);
        let reference = Reference {
            values: &base.from_standard * psm.parameters(),
            base: &base,
            covariance: None,
            residual: None,
        };
        fit(psm, &reference, log, filtering)
    }

    /// Warnings about the result, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        payload_checks::notes(self)
    }
}

impl Identification {
    /// Identifies the payload with which the identified arm reproduces the torques of another log. The log may have another rate.
    ///
    /// Friction of joints 1 to 3 may differ from the first log.
    ///
    /// # Errors
    ///
    /// [`DvrkError::Log`] if the log is too short, one of joints 1 to 3 is at rest in it or in the first log, its motion does not separate mass and centre, its torques have the opposite sign, or no compact payload on the carriage explains the difference.
    /// [`DvrkError::Range`] if the cut-off does not fit the log's rate.
    pub fn payload(&self, log: &MotionLog) -> Result<Payload, DvrkError> {
        let at_rest = (0..CARRYING).find(|joint| self.at_rest[*joint]);
        if let Some(joint) = at_rest {
            return Err(joint_at_rest(log, joint, "in the log that was identified"));
        }
        let reference = Reference {
            base: &self.base,
            values: self.values.clone(),
            covariance: Some(&self.covariance),
            residual: Some(self.residual),
        };
        fit(&self.psm, &reference, log, &self.filtering)
    }
}

fn joint_at_rest(log: &MotionLog, joint: usize, place: &str) -> DvrkError {
    DvrkError::Log {
        file: log.name.clone(),
        problem: format!(
            "joint {} stands still {place}: a payload is weighed by joints 1 to 3, which must all move",
            joint + 1
        ),
    }
}

fn fit(
    psm: &Psm,
    reference: &Reference<'_>,
    log: &MotionLog,
    filtering: &Filtering,
) -> Result<Payload, DvrkError> {
    let base = reference.base;
    let observations = Observations::of(psm, base, log, filtering)?;
    if let Some(joint) = (0..CARRYING).find(|joint| observations.at_rest[*joint]) {
        return Err(joint_at_rest(log, joint, "in this log"));
    }
    let equations = PayloadEquations::of(&observations, reference);
    let fit = equations.solve(log)?;
    let covariance = equations.covariance(&fit, &observations, reference);
    let student = observations.timing.student(equations.n());
    let error = |index: usize| student * covariance[(index, index)].sqrt();
    let residuals = equations.residuals(&fit);
    let torque_sizes: [f64; CARRYING] = std::array::from_fn(|joint| {
        let squares = observations
            .torque
            .iter()
            .map(|torque| torque[joint].powi(2));
        (squares.sum::<f64>() / observations.n() as f64).sqrt()
    });
    let values = &fit.values;
    let payload = Payload {
        mass: values[MASS],
        mass_error: error(MASS),
        first_moment: Vector3::from_fn(|axis, _| values[MOMENT + axis]),
        first_moment_error: Vector3::from_fn(|axis, _| error(MOMENT + axis)),
        friction_change: std::array::from_fn(|joint| {
            std::array::from_fn(|kind| values[FRICTION_COLUMN + 3 * joint + kind])
        }),
        residual_ratio: std::array::from_fn(|joint| match reference.residual {
            Some(own) => residuals[joint] / own[joint].max(RESOLVED * torque_sizes[joint]),
            None => 0.0,
        }),
    };
    let fitted = &reference.values + &equations.change * values;
    checks::reversed(log, &observations, base, &fitted, CARRYING)?;
    let without = payload_checks::without_payload(
        &equations.joints,
        &equations.rests,
        &fit.weights,
        FRICTION_COLUMN,
    );
    payload_checks::possible(&payload, log, &residuals, &without)?;
    Ok(payload)
}

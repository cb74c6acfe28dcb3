//! Identification of a payload from a log: mass and centre of a compact body on the carriage.
//!
//! Friction changes from day to day, so Coulomb, viscous and constant friction of joints 1 to 3 are fitted together with the payload.
//! Intervals account for correlated residuals ([`super::robust`]) and for the uncertainty of the reference log.

use nalgebra::{DMatrix, DVector, Vector3};

use super::filter::Filtering;
use super::identify::Identification;
use super::log::MotionLog;
use super::observations::Observations;
use super::robust::{self, NORMAL_QUANTILE};
use super::{checks, payload_checks};
use crate::dynamics::{BaseParameters, FRICTION};
use crate::error::DvrkError;
use crate::inertia::Inertia;
use crate::psm::{JointVector, N_DRIVES, Psm};

/// Index of the carriage among the heavy links: payloads are mounted on it. It is link 8, which the insertion moves.
const BLOCK: usize = 6;
/// Number of passes until weights and inertia have converged.
const N_PASSES: usize = 5;
/// Number of joints and drives with torques that depend on a payload; the wrist does not carry it.
pub(super) const CARRYING: usize = 3;
/// Number of inertia entries, and first indices of first moment and mass, in a link's barycentric parameters.
const N_INERTIA: usize = 6;
const MOMENT: usize = 6;
const MASS: usize = 9;
/// First friction column: Coulomb, viscous and constant friction of each joint.
const FRICTION_COLUMN: usize = 10;
const N_COLUMNS: usize = FRICTION_COLUMN + 3 * CARRYING;
/// Radius of gyration up to which a body is compact [m]. The effect of this inertia on the torques widens the interval.
const GYRATION: f64 = 0.03;
/// Minimum mass in the estimate of that inertia [kg].
const LIGHTEST: f64 = 0.02;

/// Minimum residual of a reference as a fraction of the torques: even a smooth log has corners of friction and quantised readings.
const RESOLVED: f64 = 5e-3;

/// A payload on the carriage of the insertion (link 8), in that link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Payload {
    /// Mass [kg]. It may be negative if its interval includes zero.
    pub mass: f64,
    /// Standard error of the mass [kg]: ±1.96 of them are the 95 % interval, even if only a few periods were recorded.
    pub mass_error: f64,
    /// Mass times centre [kg m].
    pub first_moment: Vector3<f64>,
    /// Standard errors of the first moment [kg m], defined like the standard error of the mass.
    pub first_moment_error: Vector3<f64>,
    /// Increase of the friction of joints 1 to 3 over the reference: Coulomb, viscous and constant, one row per joint [N m and N, per rad/s and m/s].
    pub friction_change: [[f64; 3]; CARRYING],
    /// Residual of joints 1 to 3 over the residual of the reference on its own log (at least 0.5 % of the torques); zero if the reference is exact.
    pub residual_ratio: [f64; CARRYING],
}

/// The reference: the arm without the payload.
struct Reference<'a> {
    base: &'a BaseParameters,
    values: DVector<f64>,
    covariance: Option<&'a DMatrix<f64>>,
    residual: Option<JointVector>,
}

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

    /// 95 % interval of the mass [kg].
    pub fn mass_interval(&self) -> [f64; 2] {
        [-1.0, 1.0].map(|side| self.mass + side * NORMAL_QUANTILE * self.mass_error)
    }

    /// Centre in the carriage's frame [m]; `None` if the interval of the mass includes zero.
    pub fn centre(&self) -> Option<Vector3<f64>> {
        (self.mass_interval()[0] > 0.0).then(|| self.first_moment / self.mass)
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

/// Change of the base parameters per unknown, shape [n_base, 19].
fn changes(base: &BaseParameters) -> DMatrix<f64> {
    let inertia = (0..FRICTION_COLUMN).map(|index| 10 * BLOCK + index);
    let friction =
        (0..CARRYING).flat_map(|joint| (0..3).map(move |kind| FRICTION + kind * N_DRIVES + joint));
    let indices: Vec<usize> = inertia.chain(friction).collect();
    base.from_standard.select_columns(&indices)
}

#[expect(
    clippy::too_many_lines,
    reason = "one weighted fit: its unknowns, passes and covariance share their matrices"
)]
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
    let samples = observations.samples();
    let n = samples.len();
    let change = changes(base);

    // For joints 1 to 3: columns of the unknowns, columns of the base parameters, and torques that the reference does not explain.
    let joints: Vec<[DMatrix<f64>; 2]> = (0..CARRYING)
        .map(|joint| {
            let rows = observations.regressor[joint].select_rows(&samples);
            [&rows * &change, rows]
        })
        .collect();
    let rests: Vec<DVector<f64>> = (0..CARRYING)
        .map(|joint| {
            let torque = samples.iter().map(|s| observations.torque[*s][joint]);
            DVector::from_iterator(n, torque) - &joints[joint][1] * &reference.values
        })
        .collect();

    // Each joint is weighted by its residuals. The prior of the inertia is a point mass, with the inertia of a compact body as deviation. Both come from the previous pass.
    let mut weights = [1.0; CARRYING];
    let mut values = DVector::zeros(N_COLUMNS);
    let mut inverse = DMatrix::zeros(N_COLUMNS, N_COLUMNS);
    let mut prior = DVector::zeros(N_COLUMNS);
    for pass in 0..N_PASSES {
        let mass: f64 = values[MASS];
        let moment = Vector3::new(values[MOMENT], values[MOMENT + 1], values[MOMENT + 2]);
        let mut centre = DVector::zeros(N_COLUMNS);
        // A negligible mass has no centre and no inertia.
        if pass > 0 && mass > LIGHTEST && moment.norm() < mass {
            let point = Inertia::about_centre(mass, (moment / mass).into(), [0.0; 6]);
            let turning = point.to_parameters();
            centre
                .rows_mut(0, N_INERTIA)
                .copy_from(&turning.fixed_rows::<6>(0));
        }
        let inertia = mass.abs().max(LIGHTEST) * GYRATION * GYRATION;
        for index in 0..N_INERTIA {
            prior[index] = 1.0 / (inertia * inertia);
        }
        let mut information = DMatrix::from_diagonal(&prior);
        let mut right = prior.component_mul(&centre);
        for ((weight, [columns, _]), rest) in weights.iter().zip(&joints).zip(&rests) {
            information += columns.transpose() * columns * (weight * weight);
            right += columns.transpose() * rest * (weight * weight);
        }
        // Scale to unit diagonal, because friction and moments differ in magnitude.
        let scale: DVector<f64> = information.diagonal().map(|entry| 1.0 / entry.sqrt());
        let scaled = DMatrix::from_diagonal(&scale) * information * DMatrix::from_diagonal(&scale);
        let scaled = scaled
            .cholesky()
            .ok_or_else(|| unknown_payload(log))?
            .inverse();
        inverse = DMatrix::from_diagonal(&scale) * scaled * DMatrix::from_diagonal(&scale);
        values = &inverse * right;
        for ((weight, [columns, _]), rest) in weights.iter_mut().zip(&joints).zip(&rests) {
            let variance = (rest - columns * &values).norm_squared() / n as f64;
            let torque = rest.norm_squared() / n as f64;
            *weight = 1.0 / variance.max(1e-12 * torque).sqrt().max(f64::MIN_POSITIVE);
        }
    }

    // The covariance has three parts: residuals of the log, inertia of the body, and the reference.
    let mut scores = DMatrix::zeros(n, N_COLUMNS);
    let mut sensitivity = DMatrix::zeros(N_COLUMNS, base.n());
    for (joint, [columns, rows]) in joints.iter().enumerate() {
        let square = weights[joint] * weights[joint];
        let residual = &rests[joint] - columns * &values;
        for (row, left) in residual.iter().enumerate() {
            let mut score = scores.row_mut(row);
            score += columns.row(row) * (square * *left);
        }
        sensitivity += columns.transpose() * rows * square;
    }
    let freedom = (CARRYING * n).saturating_sub(N_COLUMNS).max(1) as f64;
    let mut covariance = robust::covariance(&scores, &inverse, &observations.timing)
        * ((CARRYING * n) as f64 / freedom);
    covariance += &inverse * DMatrix::from_diagonal(&prior) * &inverse;
    if let Some(of_reference) = reference.covariance {
        let seen = &inverse * sensitivity;
        covariance += &seen * of_reference * seen.transpose();
    }
    let student = observations.timing.student(n);
    let error = |index: usize| student * covariance[(index, index)].sqrt();

    let residuals: [f64; CARRYING] = std::array::from_fn(|joint| {
        let left = &rests[joint] - &joints[joint][0] * &values;
        (left.norm_squared() / n as f64).sqrt()
    });
    let torque_sizes: [f64; CARRYING] = std::array::from_fn(|joint| {
        let squares = observations
            .torque
            .iter()
            .map(|torque| torque[joint].powi(2));
        (squares.sum::<f64>() / observations.n() as f64).sqrt()
    });
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
    let fitted = &reference.values + &change * &values;
    checks::reversed(log, &observations, base, &fitted, CARRYING)?;
    let without = payload_checks::without_payload(&joints, &rests, &weights, FRICTION_COLUMN);
    payload_checks::possible(&payload, log, &residuals, &without)?;
    Ok(payload)
}

fn unknown_payload(log: &MotionLog) -> DvrkError {
    DvrkError::Log {
        file: log.name.clone(),
        problem: "the motion does not tell a payload's mass and centre apart; move joints 1 to 3"
            .to_owned(),
    }
}

//! Equations of a payload: torques of joints 1 to 3 that the reference does not explain, linear in the inertia of the payload and in changes of friction.

use nalgebra::{DMatrix, DVector, Vector3};

use super::motion_log::MotionLog;
use super::observations::Observations;
use super::payload::CARRYING;
use super::robust;
use crate::dynamics::{BaseParameters, FRICTION};
use crate::error::DvrkError;
use crate::inertia::Inertia;
use crate::joints::{JointVector, N_DRIVES};

/// Index of the carriage among the heavy links: payloads are mounted on it. It is link 8, which the insertion moves.
const BLOCK: usize = 6;
/// Number of passes until weights and inertia have converged.
const N_PASSES: usize = 5;
/// Number of inertia entries, and first indices of first moment and mass, in a link's barycentric parameters.
const N_INERTIA: usize = 6;
pub(super) const MOMENT: usize = 6;
pub(super) const MASS: usize = 9;
/// First friction column: Coulomb, viscous and constant friction of each joint.
pub(super) const FRICTION_COLUMN: usize = 10;
const N_COLUMNS: usize = FRICTION_COLUMN + 3 * CARRYING;
/// Radius of gyration up to which a body is compact [m]. The effect of this inertia on the torques widens the interval.
const GYRATION: f64 = 0.03;
/// Minimum mass in the estimate of that inertia [kg].
const LIGHTEST: f64 = 0.02;

/// The reference: the arm without the payload.
pub(super) struct Reference<'a> {
    pub(super) base: &'a BaseParameters,
    pub(super) values: DVector<f64>,
    pub(super) covariance: Option<&'a DMatrix<f64>>,
    pub(super) residual: Option<JointVector>,
}

/// Change of the base parameters per unknown, shape [n_base, 19].
fn changes(base: &BaseParameters) -> DMatrix<f64> {
    let inertia = (0..FRICTION_COLUMN).map(|index| 10 * BLOCK + index);
    let friction =
        (0..CARRYING).flat_map(|joint| (0..3).map(move |kind| FRICTION + kind * N_DRIVES + joint));
    let indices: Vec<usize> = inertia.chain(friction).collect();
    base.from_standard.select_columns(&indices)
}

/// The equations of joints 1 to 3.
pub(super) struct PayloadEquations {
    /// Change of the base parameters per unknown, shape [n_base, 19].
    pub(super) change: DMatrix<f64>,
    /// Of each joint: columns of the unknowns, and columns of the base parameters.
    pub(super) joints: Vec<[DMatrix<f64>; 2]>,
    /// Of each joint: torques that the reference does not explain.
    pub(super) rests: Vec<DVector<f64>>,
    /// Number of samples.
    n: usize,
}

/// A weighted least-squares solution.
pub(super) struct PayloadFit {
    /// The unknowns: inertia of the payload, and changes of friction.
    pub(super) values: DVector<f64>,
    /// Weight of each joint: the inverse of its root mean square residual.
    pub(super) weights: [f64; CARRYING],
    /// Inverse of the information.
    inverse: DMatrix<f64>,
    /// Information of the prior, on its diagonal.
    prior: DVector<f64>,
}

impl PayloadEquations {
    pub(super) fn of(observations: &Observations, reference: &Reference<'_>) -> Self {
        let samples = observations.samples();
        let n = samples.len();
        let change = changes(reference.base);
        let joints: Vec<[DMatrix<f64>; 2]> = (0..CARRYING)
            .map(|joint| {
                let rows = observations.regressor[joint].select_rows(&samples);
                [&rows * &change, rows]
            })
            .collect();
        let rests = (0..CARRYING).map(|joint| {
            let torque = samples.iter().map(|s| observations.torque[*s][joint]);
            DVector::from_iterator(n, torque) - &joints[joint][1] * &reference.values
        });
        Self {
            rests: rests.collect(),
            change,
            joints,
            n,
        }
    }

    /// Solves the equations. Each joint is weighted by its residuals. The prior of the inertia is a point mass, with the inertia of a compact body as deviation. Both come from the previous pass.
    pub(super) fn solve(&self, log: &MotionLog) -> Result<PayloadFit, DvrkError> {
        let mut fit = PayloadFit {
            values: DVector::zeros(N_COLUMNS),
            weights: [1.0; CARRYING],
            inverse: DMatrix::zeros(N_COLUMNS, N_COLUMNS),
            prior: DVector::zeros(N_COLUMNS),
        };
        for pass in 0..N_PASSES {
            let centre = inertia_prior(&mut fit.prior, &fit.values, pass > 0);
            let mut information = DMatrix::from_diagonal(&fit.prior);
            let mut right = fit.prior.component_mul(&centre);
            for ((weight, [columns, _]), rest) in
                fit.weights.iter().zip(&self.joints).zip(&self.rests)
            {
                information += columns.transpose() * columns * (weight * weight);
                right += columns.transpose() * rest * (weight * weight);
            }
            // Scale to unit diagonal, because friction and moments differ in magnitude.
            let scale: DVector<f64> = information.diagonal().map(|entry| 1.0 / entry.sqrt());
            let scaled =
                DMatrix::from_diagonal(&scale) * information * DMatrix::from_diagonal(&scale);
            let scaled = scaled
                .cholesky()
                .ok_or_else(|| unknown_payload(log))?
                .inverse();
            fit.inverse = DMatrix::from_diagonal(&scale) * scaled * DMatrix::from_diagonal(&scale);
            fit.values = &fit.inverse * right;
            for ((weight, [columns, _]), rest) in
                fit.weights.iter_mut().zip(&self.joints).zip(&self.rests)
            {
                let variance = (rest - columns * &fit.values).norm_squared() / self.n as f64;
                let torque = rest.norm_squared() / self.n as f64;
                *weight = 1.0 / variance.max(1e-12 * torque).sqrt().max(f64::MIN_POSITIVE);
            }
        }
        Ok(fit)
    }

    /// Covariance of the unknowns. It has three parts: residuals of the log, inertia of the body, and the reference.
    pub(super) fn covariance(
        &self,
        fit: &PayloadFit,
        observations: &Observations,
        reference: &Reference<'_>,
    ) -> DMatrix<f64> {
        let (n, inverse) = (self.n, &fit.inverse);
        let mut scores = DMatrix::zeros(n, N_COLUMNS);
        let mut sensitivity = DMatrix::zeros(N_COLUMNS, reference.base.n());
        for (joint, [columns, rows]) in self.joints.iter().enumerate() {
            let square = fit.weights[joint] * fit.weights[joint];
            let residual = &self.rests[joint] - columns * &fit.values;
            for (row, left) in residual.iter().enumerate() {
                let mut score = scores.row_mut(row);
                score += columns.row(row) * (square * *left);
            }
            sensitivity += columns.transpose() * rows * square;
        }
        let freedom = (CARRYING * n).saturating_sub(N_COLUMNS).max(1) as f64;
        let mut covariance = robust::covariance(&scores, inverse, &observations.timing)
            * ((CARRYING * n) as f64 / freedom);
        covariance += inverse * DMatrix::from_diagonal(&fit.prior) * inverse;
        if let Some(of_reference) = reference.covariance {
            let seen = inverse * sensitivity;
            covariance += &seen * of_reference * seen.transpose();
        }
        covariance
    }

    /// Root mean square residual of each joint [N m, N].
    pub(super) fn residuals(&self, fit: &PayloadFit) -> [f64; CARRYING] {
        std::array::from_fn(|joint| {
            let left = &self.rests[joint] - &self.joints[joint][0] * &fit.values;
            (left.norm_squared() / self.n as f64).sqrt()
        })
    }

    /// Number of samples.
    pub(super) fn n(&self) -> usize {
        self.n
    }
}

/// Sets the information of the prior of a payload's inertia, and returns its centre: a point mass, if the mass of the previous pass is not negligible.
fn inertia_prior(
    prior: &mut DVector<f64>,
    values: &DVector<f64>,
    has_values: bool,
) -> DVector<f64> {
    let mass: f64 = values[MASS];
    let moment = Vector3::new(values[MOMENT], values[MOMENT + 1], values[MOMENT + 2]);
    let mut centre = DVector::zeros(N_COLUMNS);
    // A negligible mass has no centre and no inertia.
    if has_values && mass > LIGHTEST && moment.norm() < mass {
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
    centre
}

fn unknown_payload(log: &MotionLog) -> DvrkError {
    DvrkError::Log {
        file: log.name.clone(),
        problem: "the motion does not tell a payload's mass and centre apart; move joints 1 to 3"
            .to_owned(),
    }
}

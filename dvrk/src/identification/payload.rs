//! What an arm of known parameters carries: mass and centre of a compact payload on the carriage, from a log.

use nalgebra::{DMatrix, DVector, Vector3};

use super::filter::Filtering;
use super::log::MotionLog;
use super::observations::Observations;
use crate::dynamics::BaseParameters;
use crate::error::DvrkError;
use crate::inertia::Inertia;
use crate::psm::Psm;

/// Where payloads are mounted among the heavy links: on the carriage that the insertion moves, link 8.
const BLOCK: usize = 6;
/// Passes until weights and inertia have settled.
const N_PASSES: usize = 4;
/// Where mass and first moment are among a link's barycentric parameters.
const FIRST_MOMENT_AND_MASS: [usize; 4] = [6, 7, 8, 9];

/// A payload on the insertion's carriage (link 8), in that link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Payload {
    /// Mass [kg].
    pub mass: f64,
    /// Its standard error [kg].
    pub mass_error: f64,
    /// Mass times centre [kg m].
    pub first_moment: Vector3<f64>,
    /// Its standard errors [kg m].
    pub first_moment_error: Vector3<f64>,
}

impl Payload {
    /// The payload with which `psm` has the torques of a log.
    ///
    /// # Errors
    ///
    /// [`DvrkError`] where the log is too short, the cut-off does not fit its rate, or the motion does not tell mass and centre apart.
    pub fn identify(psm: &Psm, log: &MotionLog, filtering: &Filtering) -> Result<Self, DvrkError> {
        let base = BaseParameters::of(psm);
        let observations = Observations::of(psm, &base, log, filtering)?;
        let mut known = &base.from_standard * psm.parameters();

        // Columns of a point mass on the link: how its parameters change the base parameters.
        let first = 10 * BLOCK;
        let change = base
            .from_standard
            .select_columns(&FIRST_MOMENT_AND_MASS.map(|i| first + i));

        // Joints 1 to 3 carry it; each counts over its own residuals, and the inertia is that of a point, both from the pass before.
        let mut weights = [1.0; 3];
        let mut solution = (DVector::zeros(4), DMatrix::zeros(4, 4));
        for _ in 0..N_PASSES {
            let mut information = DMatrix::zeros(4, 4);
            let mut right = DVector::zeros(4);
            let equations = |joint: usize| {
                let columns = &observations.regressor[joint];
                let sampled = (0..observations.n()).step_by(observations.stride);
                let samples: Vec<usize> = sampled.collect();
                let rows = columns.select_rows(&samples);
                let torque = DVector::from_iterator(
                    samples.len(),
                    samples
                        .iter()
                        .map(|sample| observations.torque[*sample][joint]),
                );
                (&rows * &change, torque - &rows * &known)
            };
            for (joint, weight) in weights.iter().enumerate() {
                let (columns, rest) = equations(joint);
                information += columns.transpose() * &columns * (weight * weight);
                right += columns.transpose() * rest * (weight * weight);
            }
            let inverse = information.cholesky().map(|c| c.inverse()).ok_or_else(|| DvrkError::Log {
                file: log.name.clone(),
                problem: "the motion does not tell a payload's mass and centre apart; move joints 1 to 3".to_owned(),
            })?;
            let values = &inverse * right;
            for (joint, weight) in weights.iter_mut().enumerate() {
                let (columns, rest) = equations(joint);
                let variance = (rest - &columns * &values).norm_squared() / columns.nrows() as f64;
                *weight = 1.0 / variance.sqrt().max(f64::MIN_POSITIVE);
            }
            let moment = Vector3::new(values[0], values[1], values[2]);
            let point = Inertia::about_centre(values[3], (moment / values[3]).into(), [0.0; 6]);
            let mut about_origin = psm.parameters();
            let turning = point.to_parameters().fixed_rows::<6>(0).into_owned();
            let mut own = about_origin.fixed_rows_mut::<6>(first);
            own += turning;
            known = &base.from_standard * about_origin;
            solution = (values, inverse);
        }
        let (values, covariance) = solution;
        let error = |index: usize| covariance[(index, index)].sqrt();
        Ok(Self {
            mass: values[3],
            mass_error: error(3),
            first_moment: Vector3::new(values[0], values[1], values[2]),
            first_moment_error: Vector3::new(error(0), error(1), error(2)),
        })
    }
}

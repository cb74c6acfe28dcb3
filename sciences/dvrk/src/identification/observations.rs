//! A log prepared for the fit: filtered and differentiated, with its regressor in the log's coordinates.

use insonate_settings::SettingError;
use nalgebra::{DMatrix, DVector};

use super::filter::{Filtering, LowPass, derivative};
use super::motion_log::MotionLog;
use super::robust::{self, Timing};
use crate::dynamics::BaseParameters;
use crate::error::DvrkError;
use crate::joints::{JointVector, N_JOINTS};
use crate::psm::Psm;

/// Duration that is cut off at each end, where filters lack past or future samples [s].
const CUT_S: f64 = 1.0;
/// Minimum duration of a log [s]: shorter logs cannot hold a period of an excitation.
const SHORTEST_S: f64 = 5.0;

/// Equations of a log, one matrix per joint: torque = columns · base parameters.
#[derive(Debug, Clone)]
pub(super) struct Observations {
    /// Regressors on the base parameters, one per joint, shape [n, n_base].
    pub(super) regressor: [DMatrix<f64>; N_JOINTS],
    /// Filtered torques in the log's coordinates, one per sample.
    pub(super) torque: Vec<JointVector>,
    /// Filtered velocities in the log's coordinates.
    pub(super) velocity: Vec<JointVector>,
    /// Joints of the log that do not move. They are treated as exactly at rest despite encoder noise.
    pub(super) at_rest: [bool; N_JOINTS],
    /// Distance between samples that are independent after filtering.
    pub(super) stride: usize,
    /// Time between independent samples, and period of the motion.
    pub(super) timing: Timing,
}

impl Observations {
    pub(super) fn of(
        psm: &Psm,
        base: &BaseParameters,
        log: &MotionLog,
        filtering: &Filtering,
    ) -> Result<Self, DvrkError> {
        let cut = (CUT_S * log.rate_hz) as usize;
        check(log, filtering)?;
        let low_pass = LowPass::new(filtering.cutoff_hz / log.rate_hz);

        // Filter the motion, and compute accelerations by differences.
        let filtered = |signal: &[JointVector]| each_joint(signal, |s| low_pass.zero_phase(s));
        let mut q = filtered(&log.q);
        let mut dq = filtered(&log.dq);
        let at_rest = log.joints_at_rest();
        for joint in (0..N_JOINTS).filter(|joint| at_rest[*joint]) {
            let mean = q.iter().map(|q| q[joint]).sum::<f64>() / q.len() as f64;
            for (q, dq) in q.iter_mut().zip(&mut dq) {
                q[joint] = mean;
                dq[joint] = 0.0;
            }
        }
        let ddq = each_joint(&dq, |s| derivative(s, log.rate_hz));
        let torque = filtered(&log.tau);

        // The independent columns of the regressor, converted to the log's coordinates.
        let n = log.n_samples();
        let mut regressor: [DMatrix<f64>; N_JOINTS] =
            std::array::from_fn(|_| DMatrix::zeros(n, base.n()));
        for sample in 0..n {
            let [q, dq, ddq] = [&q, &dq, &ddq].map(|s| log.coordinates.joints(&s[sample]));
            let y = psm.regressor(&q, &dq, &ddq);
            for (column, index) in base.independent.iter().enumerate() {
                let torques = log.coordinates.torques(&y.column(*index).into_owned());
                for joint in 0..N_JOINTS {
                    regressor[joint][(sample, column)] = torques[joint];
                }
            }
        }
        let kept = n - 2 * cut;
        let regressor = regressor.map(|mut matrix| {
            if filtering.filter_regressor {
                for mut column in matrix.column_iter_mut() {
                    let smooth = low_pass.zero_phase(column.as_slice());
                    column.copy_from_slice(&smooth);
                }
            }
            matrix.rows(cut, kept).into_owned()
        });
        let stride = (0.5 * log.rate_hz / filtering.cutoff_hz).floor().max(1.0) as usize;
        let positions: Vec<Vec<f64>> = (0..N_JOINTS)
            .filter(|joint| !at_rest[*joint])
            .map(|joint| q[cut..cut + kept].iter().map(|q| q[joint]).collect())
            .collect();
        Ok(Self {
            regressor,
            torque: torque[cut..cut + kept].to_vec(),
            velocity: dq[cut..cut + kept].to_vec(),
            at_rest,
            stride,
            timing: Timing {
                spacing_s: stride as f64 / log.rate_hz,
                period_s: robust::period(&positions, log.rate_hz),
            },
        })
    }

    /// Indices of the samples that are independent after filtering.
    pub(super) fn samples(&self) -> Vec<usize> {
        (0..self.n()).step_by(self.stride).collect()
    }

    /// Root mean square residual of the torques with these base parameters [N m, N]; 0 for joints at rest.
    pub(super) fn residual(&self, values: &DVector<f64>) -> JointVector {
        JointVector::from_fn(|joint, _| {
            if self.at_rest[joint] {
                return 0.0;
            }
            let model = &self.regressor[joint] * values;
            let rest = self.torque.iter().zip(model.iter());
            let sum: f64 = rest
                .map(|(torque, model)| (torque[joint] - model).powi(2))
                .sum();
            (sum / self.n() as f64).sqrt()
        })
    }

    /// Number of samples.
    pub(super) fn n(&self) -> usize {
        self.torque.len()
    }
}

fn check(log: &MotionLog, filtering: &Filtering) -> Result<(), DvrkError> {
    let highest = 0.45 * log.rate_hz;
    if !(filtering.cutoff_hz >= 0.1 && filtering.cutoff_hz <= highest) {
        let allowed = format!(
            "between 0.1 and {highest} Hz, below half the rate of {}",
            log.name
        );
        return Err(SettingError::new("the cut-off", filtering.cutoff_hz, allowed).into());
    }
    let duration = log.n_samples() as f64 / log.rate_hz;
    if duration < SHORTEST_S {
        return Err(DvrkError::Log {
            file: log.name.clone(),
            problem: format!(
                "lasts {duration} s ({} samples); it must be at least {SHORTEST_S} s",
                log.n_samples()
            ),
        });
    }
    Ok(())
}

/// Applies a filter to the signal of each joint.
fn each_joint(signal: &[JointVector], filter: impl Fn(&[f64]) -> Vec<f64>) -> Vec<JointVector> {
    let joints: [Vec<f64>; N_JOINTS] = std::array::from_fn(|joint| {
        filter(&signal.iter().map(|value| value[joint]).collect::<Vec<_>>())
    });
    (0..signal.len())
        .map(|sample| JointVector::from_fn(|joint, _| joints[joint][sample]))
        .collect()
}

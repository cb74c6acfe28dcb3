//! The critic's half of an update: gradient of the clipped loss of the value.

use super::losses::value_loss;
use super::update::Half;
use super::{Learner, PpoConfig, Rollout};
use crate::network::AdamStep;

/// The critic and what its loss needs.
pub(super) struct CriticHalf<'a> {
    learner: &'a mut Learner,
    rollout: &'a Rollout,
    clip_coef: Option<f32>,
    vf_coef: f32,
    sum: f64,
    n_summed: usize,
    mean_loss: f64,
}

impl<'a> CriticHalf<'a> {
    pub(super) fn new(learner: &'a mut Learner, rollout: &'a Rollout, config: &PpoConfig) -> Self {
        Self {
            learner,
            rollout,
            clip_coef: config.clip_vloss.then_some(config.clip_coef as f32),
            vf_coef: config.vf_coef as f32,
            sum: 0.0,
            n_summed: 0,
            mean_loss: 0.0,
        }
    }

    /// Mean loss of the last epoch that ended.
    pub(super) fn mean_loss(&self) -> f64 {
        self.mean_loss
    }
}

impl Half for CriticHalf<'_> {
    fn find_gradient(&mut self, rows: &[u32]) -> f64 {
        let Self {
            learner,
            rollout,
            clip_coef,
            vf_coef,
            sum,
            ..
        } = self;
        let weight = *vf_coef / rows.len() as f32;
        learner.find_gradient(&rollout.observations, rows, |row, value, by_value, _| {
            let (loss, slope) = value_loss(
                value[0],
                rollout.values[row],
                rollout.returns[row],
                *clip_coef,
            );
            *sum += f64::from(loss);
            by_value[0] = weight * slope;
        });
        self.n_summed += rows.len();
        self.learner.squared_norm()
    }

    fn step(&mut self, step: AdamStep) {
        self.learner.step(step);
    }

    fn end_epoch(&mut self) -> f64 {
        self.mean_loss = std::mem::take(&mut self.sum) / self.n_summed as f64;
        self.n_summed = 0;
        0.0
    }
}

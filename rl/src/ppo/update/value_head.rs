//! The critic's part of the loss: the clipped value loss with its gradient.

use super::loss_head::LossHead;
use super::losses::value_loss;
use crate::network::{AdamStep, Learner};
use crate::ppo::PpoConfig;

/// Training data of a critic. Arrays have shape `[n_samples, …]`.
#[derive(Clone, Copy)]
pub(super) struct ValueTargets<'a> {
    pub(super) observations: &'a [f32],
    /// Values before the update.
    pub(super) values: &'a [f32],
    pub(super) returns: &'a [f32],
}

/// The critic and the inputs of its loss.
pub(super) struct ValueHead<'a> {
    learner: &'a mut Learner,
    targets: ValueTargets<'a>,
    clip_coef: Option<f32>,
    vf_coef: f32,
    sum: f64,
    n_summed: usize,
    mean_loss: f64,
}

impl<'a> ValueHead<'a> {
    pub(super) fn new(
        learner: &'a mut Learner,
        targets: ValueTargets<'a>,
        config: &PpoConfig,
    ) -> Self {
        Self {
            learner,
            targets,
            clip_coef: config.clip_vloss.then_some(config.clip_coef as f32),
            vf_coef: config.vf_coef as f32,
            sum: 0.0,
            n_summed: 0,
            mean_loss: 0.0,
        }
    }

    /// Mean loss of the last complete epoch.
    pub(super) fn mean_loss(&self) -> f64 {
        self.mean_loss
    }
}

impl LossHead for ValueHead<'_> {
    fn compute_gradient(&mut self, rows: &[u32]) -> f64 {
        let Self {
            learner,
            targets,
            clip_coef,
            vf_coef,
            sum,
            ..
        } = self;
        let weight = *vf_coef / rows.len() as f32;
        learner.compute_gradient(targets.observations, rows, |row, value, by_value, _| {
            let (old_value, return_) = (targets.values[row], targets.returns[row]);
            let (loss, slope) = value_loss(value[0], old_value, return_, *clip_coef);
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

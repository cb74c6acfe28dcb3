//! The actor's part of the loss: clipped surrogate and entropy, with their gradient.

use super::loss_head::LossHead;
use super::losses::{mean_and_std, policy_loss};
use crate::network::{AdamStep, Learner};
use crate::ppo::{DiagGaussian, PpoConfig, RolloutBuffer};

/// Statistics of the policy: means over the minibatches of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PolicyStats {
    /// Clipped surrogate loss.
    pub loss: f64,
    /// Entropy.
    pub entropy: f64,
    /// mean(−ln r): an estimate of the KL divergence that can be negative.
    pub old_approx_kl: f64,
    /// mean(r − 1 − ln r): an estimate that cannot be negative (<http://joschu.net/blog/kl-approx.html>).
    pub approx_kl: f64,
    /// Fraction of samples whose ratio is outside 1 ± ε.
    pub clipfrac: f64,
}

/// The actor and the inputs of its loss.
pub(super) struct PolicyHead<'a> {
    learner: &'a mut Learner,
    rollout: &'a RolloutBuffer,
    config: &'a PpoConfig,
    distribution: DiagGaussian,
    sums: PolicyStats,
    n_summed: usize,
    epoch: PolicyStats,
}

impl<'a> PolicyHead<'a> {
    pub(super) fn new(
        learner: &'a mut Learner,
        rollout: &'a RolloutBuffer,
        config: &'a PpoConfig,
    ) -> Self {
        Self {
            learner,
            rollout,
            config,
            distribution: DiagGaussian::default(),
            sums: PolicyStats::default(),
            n_summed: 0,
            epoch: PolicyStats::default(),
        }
    }

    /// Statistics of the last complete epoch.
    pub(super) fn stats(&self) -> PolicyStats {
        self.epoch
    }
}

impl LossHead for PolicyHead<'_> {
    fn compute_gradient(&mut self, rows: &[u32]) -> f64 {
        let Self {
            learner,
            rollout,
            config,
            distribution,
            sums,
            ..
        } = self;
        distribution.set(learner.free());
        let clip_coef = config.clip_coef as f32;
        let weight = 1.0 / rows.len() as f32;
        let advantages = || rows.iter().map(|row| rollout.advantages[*row as usize]);
        let (mean, scale) = if config.norm_adv {
            let (mean, std) = mean_and_std(advantages());
            (mean, 1.0 / (std + 1e-8))
        } else {
            (0.0, 1.0)
        };
        let n_actions = rollout.n_actions;
        let ent_coef = config.ent_coef as f32;
        learner.compute_gradient(
            &rollout.observations,
            rows,
            |row, means, by_mean, by_log_std| {
                let u = &rollout.actions[row * n_actions..][..n_actions];
                let advantage = (rollout.advantages[row] - mean) * scale;
                let log_prob = distribution.log_prob(u, means);
                let loss = policy_loss(log_prob, rollout.log_probs[row], advantage, clip_coef);
                // d ln π / dμ = z / σ and d ln π / d ln σ = z² − 1 with z = (u − μ) / σ.
                let by_log_prob = weight * loss.by_log_prob;
                for i in 0..n_actions {
                    let inverse_std = distribution.inverse_std[i];
                    let z = (u[i] - means[i]) * inverse_std;
                    by_mean[i] = by_log_prob * z * inverse_std;
                    by_log_std[i] += by_log_prob * (z * z - 1.0) - weight * ent_coef;
                }
                sums.loss += f64::from(loss.loss);
                sums.entropy += f64::from(distribution.entropy);
                sums.old_approx_kl -= f64::from(loss.log_ratio);
                sums.approx_kl += f64::from(loss.ratio - 1.0 - loss.log_ratio);
                sums.clipfrac += f64::from(u8::from((loss.ratio - 1.0).abs() > clip_coef));
            },
        );
        self.n_summed += rows.len();
        self.learner.squared_norm()
    }

    fn step(&mut self, step: AdamStep) {
        self.learner.step(step);
    }

    fn end_epoch(&mut self) -> f64 {
        let n = std::mem::take(&mut self.n_summed) as f64;
        let sums = std::mem::take(&mut self.sums);
        self.epoch = PolicyStats {
            loss: sums.loss / n,
            entropy: sums.entropy / n,
            old_approx_kl: sums.old_approx_kl / n,
            approx_kl: sums.approx_kl / n,
            clipfrac: sums.clipfrac / n,
        };
        self.epoch.approx_kl
    }
}

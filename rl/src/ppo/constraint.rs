//! Additional state of training under a cost limit: costs of the rollout, and a critic of the costs.

use insonate_envs::{Batch, EnvSpec};

use super::gae::{Bootstrap, GaeInputs, gae, next_values};
use super::{Multiplier, PpoConfig, RolloutBuffer};
use crate::RlError;
use crate::network::{Learner, Mlp};

/// The cost limit of a training, with its critic and multiplier.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// λ and the limit.
    pub multiplier: Multiplier,
    /// Critic of the discounted cost. The network has the same shape as the critic of the reward.
    pub critic: Learner,
    /// Costs of the rollout.
    pub samples: CostSamples,
}

/// Costs of one iteration, summed over all costs of a step. The sample index is `step * n_envs + env_idx`.
#[derive(Debug, Clone)]
pub struct CostSamples {
    /// Costs, shape `[n_steps, n_envs]`.
    pub costs: Vec<f32>,
    /// Cost values of the observations, shape `[n_steps, n_envs]`.
    pub values: Vec<f32>,
    /// Cost values of the next states, shape `[n_steps, n_envs]`.
    pub next_values: Vec<f32>,
    /// Cost advantages, shape `[n_steps, n_envs]`.
    pub advantages: Vec<f32>,
    /// Cost advantages plus cost values, shape `[n_steps, n_envs]`.
    pub returns: Vec<f32>,
    /// Sum of the costs of the episodes that ended, and the number of these episodes.
    pub ended: (f64, usize),
}

impl CostSamples {
    fn new(n: usize) -> Self {
        Self {
            costs: vec![0.0; n],
            values: vec![0.0; n],
            next_values: vec![0.0; n],
            advantages: vec![0.0; n],
            returns: vec![0.0; n],
            ended: (0.0, 0),
        }
    }

    /// Mean cost of the episodes that ended. NaN if no episode ended.
    pub fn mean_cost(&self) -> f64 {
        self.ended.0 / self.ended.1 as f64
    }
}

impl Constraint {
    /// The limit in these settings. `None` if they set no limit.
    ///
    /// # Errors
    /// [`RlError::Config`] if the task has no costs.
    pub(super) fn of(
        config: &PpoConfig,
        spec: &EnvSpec,
        critic: Mlp,
    ) -> Result<Option<Self>, RlError> {
        let Some(limit) = config.cost_limit else {
            return Ok(None);
        };
        if spec.costs.is_empty() {
            let problem = format!("{limit} is set, but {} has no costs", spec.id);
            return Err(RlError::config("cost_limit", problem));
        }
        Ok(Some(Self {
            multiplier: Multiplier::new(limit, config.multiplier_lr),
            critic: Learner::new(critic),
            samples: CostSamples::new(config.batch_size()),
        }))
    }

    /// Begins a rollout.
    pub(super) fn clear(&mut self) {
        self.samples.ended = (0.0, 0);
    }

    /// Stores the costs of a step.
    pub(super) fn store(&mut self, step: usize, batch: &Batch) {
        let n_envs = batch.rewards.len();
        let n_costs = batch.costs.len() / n_envs;
        let own = &mut self.samples.costs[step * n_envs..][..n_envs];
        for (to, costs) in own.iter_mut().zip(batch.costs.chunks_exact(n_costs)) {
            *to = costs.iter().sum();
        }
        for ended in &batch.ended {
            self.samples.ended.0 += ended.costs.iter().sum::<f64>();
            self.samples.ended.1 += 1;
        }
    }

    /// (costs, critic, observations) => cost advantages, cost returns
    pub(super) fn evaluate(
        &mut self,
        rollout: &RolloutBuffer,
        last_observations: &[f32],
        config: &PpoConfig,
    ) {
        let Self {
            critic, samples, ..
        } = self;
        let values = &mut samples.values;
        critic.evaluate(&rollout.observations, |row, value| values[row] = value[0]);
        let mut last_values = vec![0.0; rollout.n_envs];
        critic.evaluate(last_observations, |row, value| last_values[row] = value[0]);
        let mut ends: Vec<Bootstrap> = rollout.ends.iter().map(|end| end.of_zero()).collect();
        critic.evaluate(&rollout.final_observations, |row, value| {
            ends[rollout.truncated_ends[row]].value = value[0];
        });
        next_values(
            &samples.values,
            &last_values,
            ends,
            &mut samples.next_values,
        );
        let inputs = GaeInputs {
            n_envs: rollout.n_envs,
            rewards: &samples.costs,
            values: &samples.values,
            next_values: &samples.next_values,
            is_over: &rollout.is_over,
            discount: config.discount,
            gae_lambda: config.gae_lambda,
        };
        gae(inputs, &mut samples.advantages, &mut samples.returns);
    }
}

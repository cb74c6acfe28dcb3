//! Result of a step of many environments: flat rows, one per environment, in reused buffers.

use super::slot::EnvSlot;
use super::statistics::EpisodeStatistics;
use crate::EnvSpec;

/// Result of the last reset or step of all environments.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Observations, shape `[n_envs, n_obs]`.
    pub observations: Vec<f32>,
    /// Rewards, shape `[n_envs]`. 0 after a reset.
    pub rewards: Vec<f32>,
    /// Whether the task ended, shape `[n_envs]`.
    pub terminated: Vec<bool>,
    /// Whether the episode was truncated, shape `[n_envs]`.
    pub truncated: Vec<bool>,
    /// Last observations of the episodes that ended, shape `[n_envs, n_obs]`, copied before the reset. Valid where `has_final` is true.
    pub final_observations: Vec<f32>,
    /// Whether `final_observations` was written in this step, shape `[n_envs]`. Only with `Autoreset::SameStep`.
    pub has_final: Vec<bool>,
    /// Weighted reward terms, shape `[n_envs, n_terms]`. 0 after a reset.
    pub reward_terms: Vec<f32>,
    /// Costs, shape `[n_envs, n_costs]`. 0 after a reset.
    pub costs: Vec<f32>,
    /// Episodes that ended in this step, in order of `env_idx`.
    pub ended: Vec<EpisodeStatistics>,
}

impl Batch {
    pub(super) fn new(n_envs: usize, spec: &EnvSpec) -> Self {
        let n_obs = spec.observation_space.len();
        Self {
            observations: vec![0.0; n_envs * n_obs],
            rewards: vec![0.0; n_envs],
            terminated: vec![false; n_envs],
            truncated: vec![false; n_envs],
            final_observations: vec![0.0; n_envs * n_obs],
            has_final: vec![false; n_envs],
            reward_terms: vec![0.0; n_envs * spec.reward_terms.len()],
            costs: vec![0.0; n_envs * spec.costs.len()],
            ended: Vec::with_capacity(n_envs),
        }
    }

    /// Writes the row of one environment, and moves its episode statistics here if the episode ended.
    pub(super) fn take(&mut self, env_idx: usize, slot: &mut EnvSlot) {
        row(&mut self.observations, env_idx, slot.observation.len())
            .copy_from_slice(&slot.observation);
        self.rewards[env_idx] = slot.step.reward as f32;
        self.terminated[env_idx] = slot.step.terminated;
        self.truncated[env_idx] = slot.step.truncated;
        self.has_final[env_idx] = slot.has_final;
        if slot.has_final {
            row(
                &mut self.final_observations,
                env_idx,
                slot.final_observation.len(),
            )
            .copy_from_slice(&slot.final_observation);
        }
        let terms = row(&mut self.reward_terms, env_idx, slot.reward_terms.len());
        for (to, from) in terms.iter_mut().zip(&slot.reward_terms) {
            *to = *from as f32;
        }
        let costs = row(&mut self.costs, env_idx, slot.costs.len());
        for (to, from) in costs.iter_mut().zip(&slot.costs) {
            *to = *from as f32;
        }
        if let Some(mut ended) = slot.ended.take() {
            ended.env_idx = env_idx;
            self.ended.push(ended);
        }
    }
}

fn row(buffer: &mut [f32], index: usize, len: usize) -> &mut [f32] {
    &mut buffer[index * len..(index + 1) * len]
}

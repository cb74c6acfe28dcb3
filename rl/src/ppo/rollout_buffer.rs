//! The samples of a rollout: arrays of shape `[n_steps, n_envs, …]`, allocated once.

use super::gae::Bootstrap;

/// The samples of one iteration. The sample index is `step * n_envs + env_idx`.
#[derive(Debug, Clone)]
pub struct RolloutBuffer {
    /// Number of environments.
    pub n_envs: usize,
    /// Length of an observation.
    pub n_obs: usize,
    /// Length of an action.
    pub n_actions: usize,
    /// Normalised observations of the policy, shape `[n_steps, n_envs, n_obs]`.
    pub observations: Vec<f32>,
    /// Sampled actions, before scaling and clipping, shape `[n_steps, n_envs, n_actions]`.
    pub actions: Vec<f32>,
    /// ln π(action | observation), shape `[n_steps, n_envs]`.
    pub log_probs: Vec<f32>,
    /// Rewards, normalised, shape `[n_steps, n_envs]`.
    pub rewards: Vec<f32>,
    /// Whether the episode ended with the step, shape `[n_steps, n_envs]`.
    pub is_over: Vec<bool>,
    /// Values of the observations, shape `[n_steps, n_envs]`.
    pub values: Vec<f32>,
    /// Advantages, shape `[n_steps, n_envs]`.
    pub advantages: Vec<f32>,
    /// Advantages plus values, shape `[n_steps, n_envs]`.
    pub returns: Vec<f32>,
    /// Values of the next states, shape `[n_steps, n_envs]`.
    pub next_values: Vec<f32>,
    /// Ends of episodes. Values of truncated episodes are filled in after the rollout.
    pub ends: Vec<Bootstrap>,
    /// Last observations of truncated episodes, normalised, shape `[n_truncated, n_obs]`.
    pub final_observations: Vec<f32>,
    /// Indices of the truncated episodes in `ends`, shape `[n_truncated]`.
    pub truncated_ends: Vec<usize>,
}

impl RolloutBuffer {
    /// Creates a buffer for one iteration.
    pub fn new(n_steps: usize, n_envs: usize, n_obs: usize, n_actions: usize) -> Self {
        let n = n_steps * n_envs;
        Self {
            n_envs,
            n_obs,
            n_actions,
            observations: vec![0.0; n * n_obs],
            actions: vec![0.0; n * n_actions],
            log_probs: vec![0.0; n],
            rewards: vec![0.0; n],
            is_over: vec![false; n],
            values: vec![0.0; n],
            advantages: vec![0.0; n],
            returns: vec![0.0; n],
            next_values: vec![0.0; n],
            ends: Vec::new(),
            final_observations: Vec::new(),
            truncated_ends: Vec::new(),
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.rewards.len()
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }

    /// Clears the ends of the last iteration.
    pub fn clear_ends(&mut self) {
        self.ends.clear();
        self.final_observations.clear();
        self.truncated_ends.clear();
    }
}

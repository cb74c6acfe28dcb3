//! The first stage of a gradient step: samples the replay buffer and normalises with the current moments.

use rand::Rng as _;

use super::Sac;
use super::replay_buffer::ReplayBuffer;

/// Samples of a gradient step. Arrays have shape `[batch_size, …]`.
#[derive(Debug, Clone)]
pub(super) struct Minibatch {
    /// s, normalised, shape `[batch_size, n_obs]`.
    pub(super) observations: Vec<f32>,
    /// s', normalised, shape `[batch_size, n_obs]`. Equal to s if the task ended.
    pub(super) next_observations: Vec<f32>,
    /// a in [−1, 1], shape `[batch_size, n_actions]`.
    pub(super) actions: Vec<f32>,
    /// r, shape `[batch_size]`.
    pub(super) rewards: Vec<f32>,
    /// 1 if s' has a value, 0 if the task ended; shape `[batch_size]`.
    pub(super) continues: Vec<f32>,
    /// Raw observations, shape `[batch_size, n_obs]`.
    raw: [Vec<f32>; 2],
}

impl Minibatch {
    pub(super) fn new(n: usize, replay: &ReplayBuffer) -> Self {
        let observations = vec![0.0; n * replay.n_obs];
        Self {
            observations: observations.clone(),
            next_observations: observations.clone(),
            actions: vec![0.0; n * replay.n_actions],
            rewards: vec![0.0; n],
            continues: vec![0.0; n],
            raw: [observations.clone(), observations],
        }
    }
}

impl Sac {
    /// (replay buffer) => minibatch
    pub(super) fn sample_minibatch(&mut self) {
        let (replay, minibatch, rng) = (&self.replay, &mut self.minibatch, &mut self.sample_rng);
        let (n_obs, n_actions) = (replay.n_obs, replay.n_actions);
        for row in 0..minibatch.rewards.len() {
            let sample = rng.random_range(0..replay.len() as u64) as usize;
            let transition = replay.transition(sample);
            let next = transition.next_observation;
            let [raw, next_raw] = &mut minibatch.raw;
            raw[row * n_obs..][..n_obs].copy_from_slice(transition.observation);
            next_raw[row * n_obs..][..n_obs]
                .copy_from_slice(next.unwrap_or(transition.observation));
            minibatch.actions[row * n_actions..][..n_actions].copy_from_slice(transition.action);
            minibatch.rewards[row] = transition.reward;
            minibatch.continues[row] = f32::from(u8::from(next.is_some()));
        }
        let [raw, next_raw] = &minibatch.raw;
        for (raw, to) in [
            (raw, &mut minibatch.observations),
            (next_raw, &mut minibatch.next_observations),
        ] {
            if self.config.norm_obs {
                self.state.observation_normalizer.normalize(raw, to);
            } else {
                to.copy_from_slice(raw);
            }
        }
    }
}

//! The replay buffer: a ring of the most recent steps of all environments, with raw observations.
//!
//! Each observation is stored once: the observation after a step is the observation before the next one. At the end of an episode, a
//! terminated step has no next value, and the last observation of a truncated step is stored separately.

use std::collections::BTreeMap;

use insonate_envs::Batch;

/// State of an episode after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// The episode continues.
    Running = 0,
    /// The task ended; no value follows.
    Terminated = 1,
    /// A time limit truncated the episode; the last observation has a value.
    Truncated = 2,
}

/// Steps of all environments. The sample index is `step * n_envs + env_idx`, with steps in the order of the ring.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayBuffer {
    pub(crate) n_envs: usize,
    pub(crate) n_obs: usize,
    pub(crate) n_actions: usize,
    /// Maximum number of steps.
    pub(crate) capacity: usize,
    /// Index of the next step to write.
    pub(crate) position: usize,
    /// Raw observations before each step, shape `[n_steps, n_envs, n_obs]`.
    pub(crate) observations: Vec<f32>,
    /// Actions in [−1, 1], shape `[n_steps, n_envs, n_actions]`.
    pub(crate) actions: Vec<f32>,
    /// Rewards, shape `[n_steps, n_envs]`.
    pub(crate) rewards: Vec<f32>,
    /// Shape `[n_steps, n_envs]`.
    pub(crate) outcomes: Vec<Outcome>,
    /// Last raw observations of truncated episodes, by sample.
    pub(crate) final_observations: BTreeMap<usize, Vec<f32>>,
    /// Raw observations after the last step, shape `[n_envs, n_obs]`.
    pub(crate) latest: Vec<f32>,
}

/// A sample of the buffer; observations are raw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transition<'a> {
    /// s, shape `[n_obs]`.
    pub observation: &'a [f32],
    /// a in [−1, 1], shape `[n_actions]`.
    pub action: &'a [f32],
    /// r.
    pub reward: f32,
    /// s', shape `[n_obs]`. `None` if the task ended.
    pub next_observation: Option<&'a [f32]>,
}

impl ReplayBuffer {
    /// Creates an empty buffer of at most `capacity` steps. `first` holds the observations before the first step, shape `[n_envs, n_obs]`.
    ///
    /// # Panics
    /// If the capacity or the number of environments is zero.
    pub fn new(capacity: usize, n_envs: usize, n_actions: usize, first: &[f32]) -> Self {
        assert!(capacity > 0 && n_envs > 0, "a buffer holds something");
        Self {
            n_envs,
            n_obs: first.len() / n_envs,
            n_actions,
            capacity,
            position: 0,
            observations: Vec::new(),
            actions: Vec::new(),
            rewards: Vec::new(),
            outcomes: Vec::new(),
            final_observations: BTreeMap::new(),
            latest: first.to_vec(),
        }
    }

    /// Bytes of a full buffer in the largest case: every step is the last one of an episode.
    pub(crate) fn max_bytes(n_samples: usize, n_obs: usize, n_actions: usize) -> usize {
        n_samples.saturating_mul(4 * (2 * n_obs + n_actions + 2))
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.rewards.len()
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }

    /// Adds a step of all environments: the actions, shape `[n_envs, n_actions]`, and the results. A full buffer overwrites
    /// its oldest step.
    pub fn push(&mut self, actions: &[f32], batch: &Batch) {
        let first = self.position * self.n_envs;
        self.position = (self.position + 1) % self.capacity;
        put(&mut self.observations, first * self.n_obs, &self.latest);
        put(&mut self.actions, first * self.n_actions, actions);
        put(&mut self.rewards, first, &batch.rewards);
        for env_idx in 0..self.n_envs {
            let sample = first + env_idx;
            self.final_observations.remove(&sample);
            let outcome = match (batch.terminated[env_idx], batch.truncated[env_idx]) {
                (true, _) => Outcome::Terminated,
                (_, true) => Outcome::Truncated,
                _ => Outcome::Running,
            };
            if outcome == Outcome::Truncated {
                let last = &batch.final_observations[env_idx * self.n_obs..][..self.n_obs];
                self.final_observations.insert(sample, last.to_vec());
            }
            put(&mut self.outcomes, sample, &[outcome]);
        }
        self.latest.copy_from_slice(&batch.observations);
    }

    /// Returns a sample.
    ///
    /// # Panics
    /// If the index is beyond the last sample.
    pub fn transition(&self, sample: usize) -> Transition<'_> {
        let row = |numbers, sample: usize, width: usize| -> &[f32] {
            let numbers: &[f32] = numbers;
            &numbers[sample * width..][..width]
        };
        let next_step = (sample / self.n_envs + 1) % self.capacity;
        let env_idx = sample % self.n_envs;
        let next_observation = match self.outcomes[sample] {
            Outcome::Terminated => None,
            Outcome::Truncated => self.final_observations.get(&sample).map(Vec::as_slice),
            Outcome::Running if next_step == self.position => {
                Some(row(&self.latest, env_idx, self.n_obs))
            }
            Outcome::Running => {
                let next = next_step * self.n_envs + env_idx;
                Some(row(&self.observations, next, self.n_obs))
            }
        };
        Transition {
            observation: row(&self.observations, sample, self.n_obs),
            action: row(&self.actions, sample, self.n_actions),
            reward: self.rewards[sample],
            next_observation,
        }
    }
}

/// Writes numbers at `first`, which is at most the length.
fn put<T: Copy>(to: &mut Vec<T>, first: usize, from: &[T]) {
    if first == to.len() {
        to.extend_from_slice(from);
    } else {
        to[first..first + from.len()].copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two environments with one observation each. Step t leads to observations t and −t.
    fn step(buffer: &mut ReplayBuffer, t: f32, ends: [bool; 2]) {
        let batch = Batch {
            observations: vec![t, -t],
            rewards: vec![10.0 * t, -10.0 * t],
            terminated: vec![ends[0], false],
            truncated: vec![false, ends[1]],
            final_observations: vec![100.0 + t, -100.0 - t],
            ..Batch::default()
        };
        buffer.push(&[0.1 * t, -0.1 * t], &batch);
    }

    #[test]
    fn the_ring_keeps_the_last_steps_with_what_they_led_to() {
        let mut buffer = ReplayBuffer::new(3, 2, 1, &[0.0, 0.0]);
        for t in 1..=5 {
            step(&mut buffer, t as f32, [false; 2]);
        }
        assert_eq!(buffer.len(), 6);
        // Steps 4 and 5 have overwritten 1 and 2.
        let found: Vec<_> = (0..3).map(|slot| buffer.transition(2 * slot)).collect();
        for (transition, t) in found.iter().zip([4.0, 5.0, 3.0]) {
            assert_eq!(transition.observation, [t - 1.0]);
            assert_eq!(transition.next_observation, Some(&[t][..]));
            assert_eq!(transition.reward, 10.0 * t);
            assert_eq!(transition.action, [0.1 * t]);
        }
        assert_eq!(buffer.transition(3).next_observation, Some(&[-5.0][..]));
    }

    #[test]
    fn a_time_limit_keeps_the_last_observation_and_an_end_of_the_task_has_none() {
        let mut buffer = ReplayBuffer::new(2, 2, 1, &[0.0, 0.0]);
        step(&mut buffer, 1.0, [true, true]);
        step(&mut buffer, 2.0, [false; 2]);
        assert_eq!(buffer.transition(0).next_observation, None);
        assert_eq!(buffer.transition(1).next_observation, Some(&[-101.0][..]));
        assert_eq!(buffer.final_observations.len(), 1);
        // An overwritten step drops its last observation.
        step(&mut buffer, 3.0, [false; 2]);
        assert!(buffer.final_observations.is_empty());
        assert_eq!(buffer.transition(1).next_observation, Some(&[-3.0][..]));
    }
}

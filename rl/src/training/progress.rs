//! Metrics of an iteration, for observers and logs.

use std::time::Duration;

use insonate_envs::EnvSpec;

use super::{EpisodeRecord, EpisodeWindow};

/// One iteration of training.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Iteration, from 1.
    pub iteration: usize,
    /// Total number of iterations.
    pub n_iterations: usize,
    /// Steps of all environments so far.
    pub global_step: u64,
    /// Mean return of the most recent episodes. `None` before the first episode ends.
    pub episodic_return: Option<f64>,
    /// Success rate of the most recent episodes. `None` if the task has no such metric.
    pub success: Option<f64>,
    /// Steps of all environments per second, since this process started training.
    pub steps_per_second: f64,
    /// Estimated time of the remaining iterations.
    pub remaining: Duration,
    /// Time of policy and environments.
    pub rollout_time: Duration,
    /// Time of learning.
    pub update_time: Duration,
    /// Every logged metric with CleanRL's name, in a fixed order. NaN: unknown. `episode/` are the task's metrics, `reward/`
    /// the sums of its reward terms and `cost/` the sums of its costs, averaged over the most recent episodes.
    pub scalars: Vec<(String, f64)>,
}

/// Current position of a training.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) iteration: usize,
    pub(crate) n_iterations: usize,
    pub(crate) global_step: u64,
    /// Steps of all environments per iteration.
    pub(crate) batch_size: usize,
}

/// Time and number of steps of the iterations of this process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StepClock {
    time: Duration,
    n_steps: u64,
}

impl Progress {
    /// The metrics that all algorithms share. The caller adds `scalars`.
    pub(crate) fn new(
        counts: Counts,
        clock: &mut StepClock,
        [rollout_time, update_time]: [Duration; 2],
        episodes: &EpisodeWindow,
        spec: &EnvSpec,
    ) -> Self {
        clock.time += rollout_time + update_time;
        clock.n_steps += counts.batch_size as u64;
        let steps_per_second = clock.n_steps as f64 / clock.time.as_secs_f64().max(1e-9);
        let n_left = counts.n_iterations.saturating_sub(counts.iteration) * counts.batch_size;
        let known = |value: f64| (!value.is_nan()).then_some(value);
        let success = spec.metrics.iter().position(|name| *name == "success");
        Self {
            iteration: counts.iteration,
            n_iterations: counts.n_iterations,
            global_step: counts.global_step,
            episodic_return: known(episodes.mean(|episode| episode.return_)),
            success: success.and_then(|i| known(episodes.mean(|episode| episode.metrics[i]))),
            steps_per_second,
            remaining: Duration::from_secs_f64(n_left as f64 / steps_per_second),
            rollout_time,
            update_time,
            scalars: Vec::new(),
        }
    }

    /// A logged metric. `None` if it is not logged or unknown.
    pub fn scalar(&self, name: &str) -> Option<f64> {
        let found = self.scalars.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| *value)
            .filter(|value| !value.is_nan())
    }

    /// Adds metrics.
    pub(crate) fn add<'a>(&mut self, scalars: impl IntoIterator<Item = (&'a str, f64)>) {
        let owned = |(name, value): (&str, f64)| (name.to_owned(), value);
        self.scalars.extend(scalars.into_iter().map(owned));
    }

    /// Adds the times of the iteration.
    pub(crate) fn add_times(&mut self) {
        self.add([
            ("time/rollout_s", self.rollout_time.as_secs_f64()),
            ("time/update_s", self.update_time.as_secs_f64()),
        ]);
    }
}

/// Return, length and number of episodes.
pub(crate) fn episode_charts(episodes: &EpisodeWindow) -> [(&'static str, f64); 4] {
    let mean_return = episodes.mean(|episode| episode.return_);
    let mean_length = episodes.mean(|episode| episode.length);
    [
        ("charts/episodic_return", mean_return),
        ("charts/episodic_length", mean_length),
        ("charts/n_episodes", episodes.n_episodes as f64),
        ("charts/n_diverged", episodes.n_diverged as f64),
    ]
}

/// Mean cost of an episode, if the task has costs.
pub(crate) fn episode_cost(
    episodes: &EpisodeWindow,
    spec: &EnvSpec,
) -> Option<(&'static str, f64)> {
    let has_costs = !spec.costs.is_empty();
    has_costs.then(|| ("charts/episodic_cost", episodes.mean(EpisodeRecord::cost)))
}

/// Means of the task's metrics, reward terms and costs.
pub(crate) fn episode_means(episodes: &EpisodeWindow, spec: &EnvSpec) -> Vec<(String, f64)> {
    let metrics = spec.metrics.iter().enumerate().map(|(i, name)| {
        let mean = episodes.mean(|episode| episode.metrics[i]);
        (format!("episode/{name}"), mean)
    });
    let terms = spec.reward_terms.iter().enumerate().map(|(i, name)| {
        let mean = episodes.mean(|episode| episode.reward_terms[i]);
        (format!("reward/{name}"), mean)
    });
    let costs = spec.costs.iter().enumerate().map(|(i, name)| {
        let mean = episodes.mean(|episode| episode.costs[i]);
        (format!("cost/{name}"), mean)
    });
    metrics.chain(terms).chain(costs).collect()
}

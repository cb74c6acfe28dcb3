//! The most recent episodes, for averages of returns and metrics.

use std::collections::VecDeque;

use insonate_envs::{EndReason, EpisodeStatistics};

/// Record of an episode.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeRecord {
    /// Sum of the raw rewards of the environment.
    pub return_: f64,
    /// Number of steps.
    pub length: f64,
    /// Metrics, in the order of the environment's specification. NaN: unknown.
    pub metrics: Vec<f64>,
    /// Sums of the weighted reward terms.
    pub reward_terms: Vec<f64>,
    /// Sums of the costs.
    pub costs: Vec<f64>,
}

impl EpisodeRecord {
    /// Total cost of the episode.
    pub fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }
}

/// The most recent episodes, and counts of all episodes.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeWindow {
    /// Records, oldest first.
    pub records: VecDeque<EpisodeRecord>,
    /// Maximum number of records.
    pub capacity: usize,
    /// Number of episodes so far.
    pub n_episodes: u64,
    /// Number of episodes so far that ended because their simulation diverged.
    pub n_diverged: u64,
}

impl EpisodeWindow {
    /// Creates an empty window.
    pub fn new(capacity: usize) -> Self {
        Self {
            records: VecDeque::with_capacity(capacity.min(1 << 12)),
            capacity,
            n_episodes: 0,
            n_diverged: 0,
        }
    }

    /// Adds an episode. If the window is full, the oldest one is dropped.
    pub fn push(&mut self, ended: &EpisodeStatistics) {
        self.n_episodes += 1;
        self.n_diverged += u64::from(matches!(ended.reason, EndReason::Diverged(_)));
        if self.records.len() == self.capacity {
            self.records.pop_front();
        }
        self.records.push_back(EpisodeRecord {
            return_: ended.return_,
            length: ended.length as f64,
            metrics: ended.metrics.clone(),
            reward_terms: ended.reward_terms.clone(),
            costs: ended.costs.clone(),
        });
    }

    /// Mean of the value `of` over the episodes where it is known. NaN if it is unknown in all of them.
    pub fn mean(&self, of: impl Fn(&EpisodeRecord) -> f64) -> f64 {
        let known = self.records.iter().map(of).filter(|value| !value.is_nan());
        let (sum, n) = known.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
        sum / n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(return_: f64, metric: f64, reason: EndReason) -> EpisodeStatistics {
        EpisodeStatistics {
            env_idx: 0,
            seed: 0,
            return_,
            length: 10,
            reason,
            verdict: None,
            metrics: vec![metric],
            parameters: Vec::new(),
            reward_terms: vec![return_],
            costs: Vec::new(),
        }
    }

    #[test]
    fn means_are_over_the_last_episodes_with_a_known_value() {
        let mut window = EpisodeWindow::new(2);
        assert!(window.mean(|episode| episode.return_).is_nan());
        window.push(&ended(100.0, 1.0, EndReason::Diverged("at 3 s".into())));
        window.push(&ended(1.0, f64::NAN, EndReason::TimeLimit));
        window.push(&ended(3.0, 0.5, EndReason::Task("done".into())));
        assert_eq!(window.mean(|episode| episode.return_), 2.0);
        assert_eq!(window.mean(|episode| episode.metrics[0]), 0.5);
        assert_eq!((window.n_episodes, window.n_diverged), (3, 1));
    }
}

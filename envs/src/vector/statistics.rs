//! Statistics of a finished episode.

use insonate_sim::verdict::Verdict;

use crate::EndReason;

/// Statistics of a finished episode, as in Gymnasium's `RecordEpisodeStatistics`.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeStatistics {
    /// Index of the environment.
    pub env_idx: usize,
    /// Seed of the episode. A reset with this seed and the same options repeats the episode.
    pub seed: u64,
    /// Sum of the rewards.
    pub return_: f64,
    /// Number of steps.
    pub length: usize,
    /// Reason for the end.
    pub reason: EndReason,
    /// Verdict on the episode, with reasons. `None` if the task does not judge episodes.
    pub verdict: Option<Verdict>,
    /// Metrics, in the order of [`EnvSpec::metrics`](crate::EnvSpec::metrics). NaN: unknown.
    pub metrics: Vec<f64>,
    /// The random parameters, in the order of [`EnvSpec::parameters`](crate::EnvSpec::parameters).
    pub parameters: Vec<f64>,
    /// Sums of the weighted reward terms, in the order of [`EnvSpec::reward_terms`](crate::EnvSpec::reward_terms).
    pub reward_terms: Vec<f64>,
    /// Sums of the costs, in the order of [`EnvSpec::costs`](crate::EnvSpec::costs).
    pub costs: Vec<f64>,
}

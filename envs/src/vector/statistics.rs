//! Statistics of an episode that is over.

use insonate_sim::verdict::Verdict;

use crate::EndReason;

/// Statistics of an episode that is over, as of Gymnasium's `RecordEpisodeStatistics`.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeStatistics {
    /// Which environment.
    pub env_idx: usize,
    /// Seed of the episode: a reset with it and the same options repeats the episode.
    pub seed: u64,
    /// Sum of the rewards.
    pub return_: f64,
    /// Number of steps.
    pub length: usize,
    /// Why it ended.
    pub reason: EndReason,
    /// Whether it is a result, and why not; none for a task that judges nothing.
    pub verdict: Option<Verdict>,
    /// What was measured, in the order of [`EnvSpec::metrics`](crate::EnvSpec::metrics); NaN: not known.
    pub metrics: Vec<f64>,
    /// The random parameters, in the order of [`EnvSpec::parameters`](crate::EnvSpec::parameters).
    pub parameters: Vec<f64>,
    /// Sums of the weighted reward terms, in the order of [`EnvSpec::reward_terms`](crate::EnvSpec::reward_terms).
    pub reward_terms: Vec<f64>,
    /// Sums of the costs, in the order of [`EnvSpec::costs`](crate::EnvSpec::costs).
    pub costs: Vec<f64>,
}

//! Whether the return ranks policies in the same order as the task's success rule.
//!
//! The rule ranks by success rate, then by force error if the task has one: of two policies with the same success rate, the one with
//! the smaller force error is better. Spearman 1904: Pearson's correlation of the ranks, where equal values get the mean of their ranks.
//! The correlation of a return that differs between policies of equal rank is below 1, so pairs that the rule orders are counted too.

use std::cmp::Ordering;

use serde::Serialize;

use super::{Estimate, EvaluationResult};

/// Minimum number of policies.
const FEWEST: usize = 3;

/// Ranks of policies by return and by the success rule; 1 is the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankCorrelation {
    /// Spearman's rank correlation; NaN if one of the rankings has only equal ranks.
    pub spearman: f64,
    /// The policies.
    pub policies: Vec<String>,
    /// Ranks by mean return, shape `[n_policies]`.
    pub return_ranks: Vec<f64>,
    /// Ranks by success rate, then force error, shape `[n_policies]`.
    pub rule_ranks: Vec<f64>,
    /// Number of pairs of policies that have different ranks by the rule.
    pub n_pairs: usize,
    /// Number of these pairs that the return orders as the rule does.
    pub n_agreeing_pairs: usize,
}

/// A policy's figures that decide its ranks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked {
    /// Name of the policy.
    pub(crate) name: String,
    /// Mean return.
    pub(crate) return_: f64,
    /// Success rate.
    pub(crate) success: f64,
    /// Mean force error [N]; NaN if the task does not have it.
    pub(crate) force_error: f64,
}

/// Ranks the policies; `None` for fewer than three, or for a task without a success metric.
pub fn rank_correlation(results: &[EvaluationResult]) -> Option<RankCorrelation> {
    let ranked = |result: &EvaluationResult| {
        let returns = result.episodes.iter().map(|episode| episode.return_);
        let error = result.metric("force_mae_n").unwrap_or_default();
        Some(Ranked {
            name: result.name.clone(),
            return_: Estimate::of(returns).mean,
            success: result.n_successes()? as f64 / result.episodes.len() as f64,
            force_error: Estimate::of(error.into_iter()).mean,
        })
    };
    let all: Option<Vec<Ranked>> = results.iter().map(ranked).collect();
    RankCorrelation::of(&all?)
}

impl RankCorrelation {
    /// Ranks the policies; `None` for fewer than three.
    pub(crate) fn of(all: &[Ranked]) -> Option<Self> {
        if all.len() < FEWEST {
            return None;
        }
        let returns: Vec<[f64; 2]> = all.iter().map(|one| [one.return_, 0.0]).collect();
        let quality = |one: &Ranked| {
            let error = one.force_error;
            [one.success, if error.is_nan() { 0.0 } else { -error }]
        };
        let qualities: Vec<[f64; 2]> = all.iter().map(quality).collect();
        let (return_ranks, rule_ranks) = (ranks(&returns), ranks(&qualities));
        let both: Vec<(f64, f64)> = rule_ranks
            .iter()
            .copied()
            .zip(return_ranks.iter().copied())
            .collect();
        // Each pair that the rule orders, with its better policy first.
        let pairs = both.iter().flat_map(|better| {
            let worse = both.iter().filter(|other| better.0 < other.0);
            worse.map(move |worse| (better, worse))
        });
        let agrees = pairs.map(|(better, worse)| better.1 < worse.1);
        let agrees: Vec<bool> = agrees.collect();
        Some(Self {
            spearman: pearson(&return_ranks, &rule_ranks),
            policies: all.iter().map(|one| one.name.clone()).collect(),
            return_ranks,
            rule_ranks,
            n_pairs: agrees.len(),
            n_agreeing_pairs: agrees.iter().filter(|agrees| **agrees).count(),
        })
    }
}

/// Ranks by the first number, then by the second, largest first. Equal entries share the mean of their ranks.
fn ranks(keys: &[[f64; 2]]) -> Vec<f64> {
    let order = |a: &[f64; 2], b: &[f64; 2]| b.partial_cmp(a).unwrap_or(Ordering::Equal);
    let rank = |key: &[f64; 2]| {
        let count = |wanted: Ordering| keys.iter().filter(|k| order(k, key) == wanted).count();
        count(Ordering::Less) as f64 + f64::midpoint(1.0, count(Ordering::Equal) as f64)
    };
    keys.iter().map(rank).collect()
}

fn pearson(a: &[f64], b: &[f64]) -> f64 {
    // The mean of all ranks, with or without ties.
    let mean = f64::midpoint(1.0, a.len() as f64);
    let sum = |x: &[f64], y: &[f64]| -> f64 {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    sum(a, b) / (sum(a, a) * sum(b, b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::{EndReason, EnvSpec, EpisodeStatistics};

    fn result(name: &str, return_: f64, success: f64, force_error: f64) -> EvaluationResult {
        let episode = EpisodeStatistics {
            env_idx: 0,
            seed: 0,
            return_,
            length: 10,
            reason: EndReason::TimeLimit,
            verdict: None,
            metrics: vec![success, force_error],
            parameters: Vec::new(),
            reward_terms: Vec::new(),
            costs: Vec::new(),
        };
        EvaluationResult {
            name: name.to_owned(),
            described: name.to_owned(),
            file: None,
            spec: EnvSpec {
                metrics: vec!["success", "force_mae_n"],
                ..EnvSpec::default()
            },
            episodes: vec![episode],
            seconds: 0.0,
            patients: Vec::new(),
            trained_on: None,
        }
    }

    #[test]
    fn success_ranks_before_force_error_and_ties_share_ranks() {
        let mut all = vec![
            result("steady", 3.0, 1.0, 0.1),
            result("rough", 4.0, 1.0, 0.2),
            result("failed", 1.0, 0.0, 0.05),
            result("late", 1.0, 0.0, 0.3),
        ];
        let found = rank_correlation(&all).unwrap();
        assert_eq!(found.rule_ranks, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(found.return_ranks, [2.0, 1.0, 3.5, 3.5]);
        // scipy.stats.spearmanr([2, 1, 3.5, 3.5], [1, 2, 3, 4]).
        assert!((found.spearman - 0.737_864_787).abs() < 1e-9, "{found:?}");
        // The return swaps steady and rough, and does not tell failed from late: 4 of 6 pairs are left.
        assert_eq!((found.n_pairs, found.n_agreeing_pairs), (6, 4));
        all.truncate(2);
        assert_eq!(rank_correlation(&all), None);
    }

    #[test]
    fn a_task_without_success_has_no_rule() {
        let mut all = [1.0, 2.0, 3.0].map(|return_| result("a", return_, 1.0, 0.1));
        for result in &mut all {
            result.spec.metrics = vec!["distance", "force_mae_n"];
        }
        assert_eq!(rank_correlation(&all), None);
    }
}

//! Paired differences of two policies on the same episodes.

use serde::Serialize;

use super::{Estimate, EvaluationResult};

/// The metric whose mean is a proportion.
const SUCCESS: &str = "success";
/// Metrics with paired differences, in addition to the return.
const METRICS: [&str; 3] = [SUCCESS, "force_mae_n", "path_rmse_m"];

/// Differences between two policies, paired by episode.
#[derive(Debug, Clone, Serialize)]
pub struct PairedDifference {
    /// The policy.
    pub policy: String,
    /// The policy that it is compared with.
    pub against: String,
    /// Name of each metric and its mean difference with the 95 % interval: paired Student t, or Newcombe's interval for success.
    pub figures: Vec<(String, Estimate)>,
}

/// Computes the paired differences of two policies.
///
/// # Errors
/// If the episodes differ: names the first random parameter that differs.
pub fn paired_difference(
    policy: &EvaluationResult,
    against: &EvaluationResult,
) -> Result<PairedDifference, String> {
    check_same_episodes(policy, against)?;
    let paired = |of: &dyn Fn(&EvaluationResult) -> Option<Vec<f64>>, is_share: bool| {
        let (these, those) = (of(policy)?, of(against)?);
        let pairs = these.into_iter().zip(those);
        let estimate = if is_share {
            Estimate::of_paired_shares(pairs)
        } else {
            Estimate::of(pairs.map(|(this, that)| this - that))
        };
        (estimate.n > 0).then_some(estimate)
    };
    let returns = |result: &EvaluationResult| {
        Some(
            result
                .episodes
                .iter()
                .map(|episode| episode.return_)
                .collect(),
        )
    };
    let mut figures = Vec::new();
    figures.extend(paired(&returns, false).map(|estimate| ("return".to_owned(), estimate)));
    for name in METRICS {
        let metric = |result: &EvaluationResult| result.metric(name);
        figures
            .extend(paired(&metric, name == SUCCESS).map(|estimate| (name.to_owned(), estimate)));
    }
    Ok(PairedDifference {
        policy: policy.name.clone(),
        against: against.name.clone(),
        figures,
    })
}

fn check_same_episodes(these: &EvaluationResult, those: &EvaluationResult) -> Result<(), String> {
    if these.spec.parameters != those.spec.parameters {
        return Err("their tasks have different random parameters".to_owned());
    }
    let bits = |values: &[f64]| {
        values
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    for (this, that) in these.episodes.iter().zip(&those.episodes) {
        let (ours, theirs) = (bits(&this.parameters), bits(&that.parameters));
        if let Some(index) = (0..ours.len()).find(|&i| ours[i] != theirs[i]) {
            return Err(format!(
                "the episode of seed {} has {} = {} in one and {} in the other: give both the same settings",
                this.seed,
                these.spec.parameters[index],
                that.parameters[index],
                this.parameters[index]
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::{EndReason, EnvSpec, EpisodeStatistics};

    /// A result with returns 1, 2, 4 plus `more`, from episodes with this stiffness.
    fn result(name: &str, more: [f64; 3], stiffness: f64) -> EvaluationResult {
        let episode = |index: usize| EpisodeStatistics {
            env_idx: 0,
            seed: index as u64,
            return_: [1.0, 2.0, 4.0][index] + more[index],
            length: 10,
            reason: EndReason::TimeLimit,
            verdict: None,
            metrics: vec![0.5 * more[index]],
            parameters: vec![f64::NAN, stiffness],
            reward_terms: Vec::new(),
            costs: Vec::new(),
        };
        EvaluationResult {
            name: name.to_owned(),
            described: name.to_owned(),
            file: None,
            spec: EnvSpec {
                metrics: vec!["force_mae_n"],
                parameters: vec!["phase [rad]".to_owned(), "torso.stiffness [N/m]".to_owned()],
                ..EnvSpec::default()
            },
            episodes: (0..3).map(episode).collect(),
            seconds: 0.0,
            patients: Vec::new(),
            trained_on: None,
        }
    }

    #[test]
    fn differences_are_taken_episode_by_episode() {
        let against = result("b", [0.0; 3], 900.0);
        let found = paired_difference(&result("a", [1.0, 1.5, 0.5], 900.0), &against).unwrap();
        let [(first, returns), (second, force)] = &found.figures[..] else {
            panic!("{found:?}")
        };
        assert_eq!((first.as_str(), second.as_str()), ("return", "force_mae_n"));
        assert_eq!((returns.mean, force.mean), (1.0, 0.5));
        // t(0.975, 2) = 4.303. The variance of the returns themselves has no effect.
        let half = 4.303 * 0.5 / 3.0_f64.sqrt();
        assert!((returns.ci95[1] - 1.0 - half).abs() < 1e-3, "{returns:?}");
    }

    #[test]
    fn different_episodes_are_refused() {
        let [a, b] = [900.0, 1200.0].map(|stiffness| result("a", [0.0; 3], stiffness));
        let problem = paired_difference(&a, &b).unwrap_err();
        assert!(
            problem.contains("seed 0") && problem.contains("torso.stiffness [N/m] = 1200"),
            "{problem}"
        );
    }
}

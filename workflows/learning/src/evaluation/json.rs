//! Results as JSON with stable keys.

use serde_json::{Map, Value, json};

use super::{
    Estimate, EvaluationResult, NamedPolicy, PairedDifference, paired_difference, rank_correlation,
    wilson,
};

/// Metrics with a top-level key; `null` if the task does not have them. Each is the mean over the episodes in which it is known.
const MEANS: [&str; 6] = [
    "force_mae_n",
    "contact_ratio",
    "path_rmse_m",
    "tilt_deg",
    "peak_force_n",
    "contact_speed_m_s",
];

/// All statistics of a result.
pub fn result_json(result: &EvaluationResult, seeds: &[u64]) -> Map<String, Value> {
    let n = result.episodes.len();
    let returns = Estimate::of(result.episodes.iter().map(|episode| episode.return_));
    let lengths = Estimate::of(result.episodes.iter().map(|episode| episode.length as f64));
    let successes = result.n_successes();
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| all.insert(key.to_owned(), value);
    put("task", result.spec.id.as_str().into());
    put("policy", result.name.as_str().into());
    put("policy_file", json!(result.file));
    put(
        "success_rate",
        json!(successes.map(|k| k as f64 / n as f64)),
    );
    put("success_ci95", json!(successes.map(|k| wilson(k, n))));
    put("return_mean", json!(returns.mean));
    put("return_ci95", json!(returns.ci95));
    for name in MEANS {
        let mean = result
            .metric(name)
            .map(|values| Estimate::of(values.into_iter()).mean);
        put(name, json!(mean));
    }
    put("episodes", n.into());
    put("seeds", json!(seeds));
    put("length_mean", json!(lengths.mean));
    let metrics = result.spec.metrics.iter().map(|name| {
        let values = result.metric(name).unwrap_or_default();
        ((*name).to_owned(), json!(Estimate::of(values.into_iter())))
    });
    put("metrics", Value::Object(metrics.collect()));
    let terms = result
        .spec
        .reward_terms
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let sums = result
                .episodes
                .iter()
                .map(|episode| episode.reward_terms[i]);
            ((*name).to_owned(), json!(Estimate::of(sums).mean))
        });
    put("reward_terms", Value::Object(terms.collect()));
    let costs = result.spec.costs.iter().enumerate().map(|(i, name)| {
        let sums = result.episodes.iter().map(|episode| episode.costs[i]);
        ((*name).to_owned(), json!(Estimate::of(sums)))
    });
    put("costs", Value::Object(costs.collect()));
    let patients = result.by_patient();
    if !patients.is_empty() {
        put("patients", json!(patients));
    }
    let cost = Estimate::of(result.costs());
    put(
        "cost_mean",
        json!((!result.spec.costs.is_empty()).then_some(cost.mean)),
    );
    let failed = result.failed_verdicts();
    put("n_failed", json!(failed.as_ref().map(std::vec::Vec::len)));
    let failed = failed.into_iter().flatten().map(|episode| {
        let reasons = episode.verdict.as_ref().map(|verdict| &verdict.reasons);
        json!({ "seed": episode.seed, "reasons": reasons })
    });
    put("failed", Value::Array(failed.collect()));
    let reasons = result.end_reasons().into_iter();
    put(
        "end_reasons",
        Value::Object(reasons.map(|(reason, n)| (reason, n.into())).collect()),
    );
    all
}

/// The differences of two policies, or the reason why they cannot be paired.
pub fn paired_difference_json(difference: &Result<PairedDifference, String>) -> Value {
    match difference {
        Ok(difference) => {
            let figures = difference.figures.iter();
            let figures: Map<String, Value> = figures
                .map(|(name, estimate)| (name.clone(), json!(estimate)))
                .collect();
            json!({
                "policy": difference.policy,
                "against": difference.against,
                "difference": figures,
            })
        }
        Err(problem) => json!({ "problem": problem }),
    }
}

/// Means over several policies of one task, for example from several training seeds, with 95 % intervals over the policies.
pub fn pooled_json(results: &[&EvaluationResult]) -> Value {
    let success = Estimate::of(results.iter().map(|result| {
        let n = result.episodes.len() as f64;
        result.n_successes().map_or(f64::NAN, |k| k as f64 / n)
    }));
    let mut all = Map::new();
    all.insert("policies".to_owned(), results.len().into());
    all.insert("success_rate".to_owned(), json!(success));
    let returns = results
        .iter()
        .map(|result| Estimate::of(result.episodes.iter().map(|episode| episode.return_)).mean);
    all.insert("return_mean".to_owned(), json!(Estimate::of(returns)));
    for name in MEANS {
        let means = results.iter().map(|result| {
            let values = result.metric(name).unwrap_or_default();
            Estimate::of(values.into_iter()).mean
        });
        let over = Estimate::of(means);
        if over.n > 0 {
            all.insert(name.to_owned(), json!(over));
        }
    }
    Value::Object(all)
}

/// One policy: its figures; several: all of them, their differences from the last one, the mean over policy files, and how return ranks
/// three or more.
pub fn results_json(
    policies: &[NamedPolicy],
    results: &[EvaluationResult],
    seeds: &[u64],
) -> Value {
    let all: Vec<Value> = results
        .iter()
        .map(|result| Value::Object(result_json(result, seeds)))
        .collect();
    let (Some(against), true) = (results.last(), results.len() > 1) else {
        return all.into_iter().next().unwrap_or_default();
    };
    let others = &results[..results.len() - 1];
    let paired: Vec<Value> = others
        .iter()
        .map(|result| paired_difference_json(&paired_difference(result, against)))
        .collect();
    let both = policies.iter().zip(results);
    let files: Vec<&EvaluationResult> = both
        .filter(|(policy, _)| policy.policy.is_some())
        .map(|(_, result)| result)
        .collect();
    let pooled = (files.len() > 1).then(|| pooled_json(&files));
    let ranks = rank_correlation(results);
    json!({ "policies": all, "paired": paired, "pooled": pooled, "rank_correlation": ranks })
}

//! A rollout as JSON with stable keys.

use serde_json::{Map, Value, json};

use super::Rollout;

/// Return, end, metrics, reward terms, costs, parameters and verdict of an episode.
pub fn rollout_json(rollout: &Rollout) -> Value {
    let (spec, ended) = (&rollout.spec, &rollout.ended);
    let named = |names: &mut dyn Iterator<Item = String>, values: &[f64]| -> Map<String, Value> {
        names
            .zip(values)
            .map(|(name, value)| (name, json!(value)))
            .collect()
    };
    let mut summary = json!({
        "task": spec.id,
        "policy": rollout.policy,
        "policy_file": rollout.file,
        "seed": ended.seed,
        "return": ended.return_,
        "length": ended.length,
        "seconds_simulated": ended.length as f64 * spec.control_timestep,
        "end": ended.reason.text(),
        "metrics": named(&mut spec.metrics.iter().map(|name| (*name).to_owned()), &ended.metrics),
        "reward_terms": named(&mut spec.reward_terms.iter().map(|name| (*name).to_owned()), &ended.reward_terms),
        "costs": named(&mut spec.costs.iter().map(|name| (*name).to_owned()), &ended.costs),
        "parameters": named(&mut spec.parameters.iter().cloned(), &ended.parameters),
    });
    if let Some(verdict) = &ended.verdict {
        summary["verdict"] = verdict.outcome.name().into();
        summary["reasons"] = json!(verdict.reasons);
    }
    if rollout.interrupted {
        summary["interrupted"] = true.into();
    }
    summary
}

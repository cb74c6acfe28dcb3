//! A recording as JSON with stable keys.

use std::path::Path;

use insonate_datasets::Format;
use insonate_envs::EnvSpec;
use serde_json::{Value, json};

use super::{RecordPlan, Recorded};
use crate::evaluation::{NamedPolicy, wilson};

/// Counts, success and verdicts of a recording, and the size of its `data_set`, a format and a path [bytes].
pub fn recorded_json(
    recorded: &Recorded,
    expert: &NamedPolicy,
    spec: &EnvSpec,
    plan: &RecordPlan,
    data_set: (Format, &Path),
) -> Value {
    let (format, output) = data_set;
    let n = recorded.episodes.len();
    let success = spec.metrics.iter().position(|name| *name == "success");
    let successes = success.map(|index| {
        let episodes = recorded.episodes.iter();
        episodes
            .filter(|episode| episode.metrics[index] > 0.5)
            .count()
    });
    let returns: f64 = recorded
        .episodes
        .iter()
        .map(|episode| episode.return_)
        .sum();
    let failed = recorded.failed.iter();
    let failed = failed.map(|(seed, reasons)| json!({ "seed": seed, "reasons": reasons }));
    let dropped = recorded.dropped.iter();
    let dropped = dropped.map(|(seed, error)| json!({ "seed": seed, "error": error }));
    let missing = recorded.missing.iter().map(|it| json!({ "kind": it.kind.name(), "wanted": it.n_wanted, "kept": it.n_kept, "tried": it.n_tried }));
    let cameras: Vec<&String> = plan.cameras.iter().map(|camera| &camera.name).collect();
    json!({
        "task": expert.factory.task,
        "expert": expert.name,
        "format": Format::ALL.iter().find(|(_, known)| *known == format).map(|(name, _)| name),
        "output": output,
        "episodes": recorded.n_kept,
        "recoveries": recorded.n_recoveries,
        "failures": recorded.n_failures,
        "steps": recorded.n_steps,
        "tried": n,
        "discarded": recorded.n_discarded,
        "success_rate": successes.map(|k| k as f64 / n as f64),
        "success_ci95": successes.map(|k| wilson(k, n)),
        "return_mean": returns / n as f64,
        "bytes": size(output),
        "seed": plan.seed,
        "cameras": cameras,
        "n_failed": recorded.is_judged().then_some(recorded.failed.len()),
        "failed": failed.collect::<Vec<Value>>(),
        "dropped": dropped.collect::<Vec<Value>>(),
        "missing": missing.collect::<Vec<Value>>(),
        "interrupted": recorded.interrupted,
    })
}

/// Size of a file, or of all files in a folder [bytes].
fn size(path: &Path) -> u64 {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| size(&entry.path())).sum(),
        Err(_) => path.metadata().map_or(0, |found| found.len()),
    }
}

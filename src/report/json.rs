//! The result for scripts: SI units, keys that stay, `null` where there is no number.

use serde_json::{Map, Value, json};

use super::{CalibratedLog, Report, SceneOutcome, names_of, unit_of};
use crate::calibration::{Fit, FitStatistics, ModelSelection, Parameter, PooledParameter, models};

impl Report {
    /// The result as JSON.
    pub fn json(&self) -> Value {
        let mut all = Map::new();
        all.insert("generator".to_owned(), json!(self.generator));
        all.insert("logs".to_owned(), self.logs.iter().map(log).collect());
        all.insert("pooled".to_owned(), self.pooled_json());
        if let Some(mujoco) = self.softness().mujoco {
            let entry = json!({ "mass": finite(mujoco.mass), "solref": pair(mujoco.solref) });
            all.insert("mujoco".to_owned(), entry);
        }
        all.insert("notes".to_owned(), json!(self.notes));
        if let Some(scene) = &self.scene {
            all.insert("scene_fit".to_owned(), scene_fit(scene));
        }
        Value::Object(all)
    }

    /// Every parameter of any log; `null` where not every log identifies it.
    fn pooled_json(&self) -> Value {
        let mut pooled = Map::new();
        pooled.insert("n_sites".to_owned(), json!(self.pooled.n_sites));
        for name in names_of(&self.logs) {
            let spread = self.pooled.parameter(name);
            let value = spread.map_or(Value::Null, |spread| {
                spread_json(spread, unit_of(&self.logs, name))
            });
            pooled.insert(name.to_owned(), value);
        }
        let ratio = self.pooled.ratio.map_or(
            Value::Null,
            |ratio| json!({ "value": finite(ratio.value), "ci95": pair(ratio.ci95), "unit": "1/s" }),
        );
        pooled.insert("ratio".to_owned(), ratio);
        Value::Object(pooled)
    }
}

fn spread_json(spread: &PooledParameter, unit: &str) -> Value {
    json!({
        "mean": finite(spread.mean),
        "sd": finite(spread.sd),
        "ci95": pair(spread.ci95),
        "range": pair(spread.range),
        "randomisation": pair(spread.randomisation),
        "unit": unit,
    })
}

fn log(log: &CalibratedLog) -> Value {
    let (prepared, fit) = (&log.calibration.prepared, &log.calibration.fit);
    let choices: Vec<Value> = prepared
        .choices
        .iter()
        .map(|choice| json!({ "what": choice.what, "value": choice.value, "how": choice.how }))
        .collect();
    let notes: Vec<&String> = log
        .source
        .notes
        .iter()
        .chain(&prepared.notes)
        .chain(&fit.notes)
        .collect();
    let mut entry = json!({
        "file": log.source.file,
        "sha256": log.source.sha256,
        "format": log.source.format,
        "columns": log.source.columns,
        "model": fit.model,
        "equation": models::by_name(fit.model).map(|kind| kind.equation),
        "parameters": parameters(fit),
        "r_squared": finite(fit.statistics.r_squared),
        "rmse_n": finite(fit.statistics.rmse_n),
        "window_s": pair(prepared.window),
        "n": fit.statistics.n,
        "force_bias_n": finite(prepared.force_bias),
        "contact_shift_m": fit.contact_shift.map_or(Value::Null, finite),
        "statistics": statistics(&fit.statistics),
        "choices": choices,
        "notes": notes,
    });
    if let (Some(selection), Some(entry)) = (&log.calibration.selection, entry.as_object_mut()) {
        entry.insert("selection".to_owned(), selection_json(selection));
    }
    entry
}

fn parameters(fit: &Fit) -> Value {
    let entry = |parameter: &Parameter| {
        let mut entry = Map::new();
        let known = parameter.identifiable;
        let number = |value| if known { finite(value) } else { Value::Null };
        entry.insert("value".to_owned(), number(parameter.value));
        entry.insert(
            "ci95".to_owned(),
            if known {
                pair(parameter.ci95)
            } else {
                Value::Null
            },
        );
        entry.insert("identifiable".to_owned(), json!(known));
        if !parameter.reason.is_empty() {
            entry.insert("reason".to_owned(), json!(parameter.reason));
        }
        entry.insert(
            "standard_error".to_owned(),
            number(parameter.standard_error),
        );
        if let Some(bootstrap) = parameter.bootstrap95.filter(|_| known) {
            entry.insert("bootstrap95".to_owned(), pair(bootstrap));
        }
        entry.insert("unit".to_owned(), json!(parameter.unit));
        (parameter.name.to_owned(), Value::Object(entry))
    };
    Value::Object(fit.parameters.iter().map(entry).collect())
}

fn statistics(statistics: &FitStatistics) -> Value {
    let tests: Map<String, Value> = statistics
        .p_values
        .iter()
        .map(|(name, p)| ((*name).to_owned(), finite(*p)))
        .collect();
    json!({
        "n_effective": finite(statistics.n_effective),
        "condition_number": finite(statistics.condition_number),
        "durbin_watson": finite(statistics.durbin_watson),
        "aic": finite(statistics.aic),
        "bic": finite(statistics.bic),
        "p_values": tests,
    })
}

fn selection_json(selection: &ModelSelection) -> Value {
    let candidates: Vec<Value> = selection
        .candidates
        .iter()
        .map(|candidate| {
            json!({
                "model": candidate.model,
                "bic": finite(candidate.bic),
                "held_out_rmse_n": finite(candidate.held_out_rmse_n),
                "ruled_out": candidate.ruled_out,
            })
        })
        .collect();
    json!({ "reason": selection.reason, "candidates": candidates })
}

fn scene_fit(scene: &SceneOutcome) -> Value {
    let achieved = &scene.achieved;
    let settings: Map<String, Value> = [
        ("stiffness", scene.entry.stiffness),
        ("damping", scene.entry.damping),
    ]
    .into_iter()
    .chain(
        scene
            .entry
            .parameters
            .iter()
            .map(|(name, value)| (name.as_str(), *value)),
    )
    .map(|(name, value)| (name.to_owned(), finite(value)))
    .collect();
    json!({
        "torso": scene.torso,
        "stiffness_error": finite(achieved.stiffness_error),
        "damping_error": finite(achieved.damping_error),
        "stiffness": finite(achieved.stiffness),
        "damping": finite(achieved.damping),
        "target": { "stiffness": finite(scene.target[0]), "damping": finite(scene.target[1]) },
        "untuned": { "stiffness": finite(scene.untuned[0]), "damping": finite(scene.untuned[1]) },
        "settings": settings,
        "reached": achieved.reached,
        "reason": scene.reason,
        "n_presses": scene.n_presses,
        "tracking_rmse_m": finite(scene.tracking_rmse),
    })
}

/// JSON has no NaN and no infinity.
fn finite(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn pair(values: [f64; 2]) -> Value {
    values.into_iter().map(finite).collect()
}

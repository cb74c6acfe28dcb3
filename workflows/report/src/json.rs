//! The result as JSON for scripts: SI units, stable keys, `null` for unknown numbers.

use insonate_calibration::{
    Calibration, Fit, FitStatistics, ModelSelection, Parameter, PooledParameter, models,
};
use insonate_experiments::{RepeatedPress, SceneFit, scene_entry};
use insonate_models::torsos::Softness;
use serde_json::{Map, Value, json};

use super::{CalibrationReport, parameters_of};

impl CalibrationReport {
    /// The result as JSON.
    pub fn json(&self) -> Value {
        let mut all = Map::new();
        all.insert("generator".to_owned(), json!(self.generator));
        let logs = self.sites.logs.iter().map(log).collect();
        all.insert("logs".to_owned(), logs);
        all.insert("pooled".to_owned(), self.pooled_json());
        if let Some(mujoco) = self.softness().mujoco {
            let entry = json!({ "mass": finite(mujoco.mass), "solref": pair(mujoco.solref) });
            all.insert("mujoco".to_owned(), entry);
        }
        all.insert("notes".to_owned(), json!(self.sites.notes));
        if !self.maps.is_empty() {
            let maps = self.maps.iter();
            let maps = maps.map(|map| (map.parameter.clone(), super::map::json(map)));
            all.insert("map".to_owned(), Value::Object(maps.collect()));
        }
        if let Some(scene) = &self.scene {
            all.insert("scene_fit".to_owned(), scene_fit(scene));
        }
        if let Some(press) = &self.repeated {
            all.insert("simulated_press".to_owned(), simulated_press(press));
        }
        if self.interrupted {
            all.insert("interrupted".to_owned(), json!(true));
        }
        Value::Object(all)
    }

    /// All parameters of all logs; `null` if a log does not identify the parameter.
    fn pooled_json(&self) -> Value {
        let mut pooled = Map::new();
        pooled.insert("n_sites".to_owned(), json!(self.sites.pooled.n_sites));
        for parameter in parameters_of(&self.sites.logs) {
            let value = self.sites.pooled.parameter(parameter.name);
            let value = value.map_or(Value::Null, |value| pooled_parameter(value, parameter.unit));
            pooled.insert(parameter.name.to_owned(), value);
        }
        let ratio = self.sites.pooled.ratio.map_or(
            Value::Null,
            |ratio| json!({ "value": finite(ratio.value), "ci95": pair(ratio.ci95), "unit": "1/s" }),
        );
        pooled.insert("ratio".to_owned(), ratio);
        Value::Object(pooled)
    }
}

fn pooled_parameter(parameter: &PooledParameter, unit: &str) -> Value {
    json!({
        "mean": finite(parameter.mean),
        "sd": finite(parameter.sd),
        "ci95": pair(parameter.ci95),
        "range": pair(parameter.range),
        "randomisation": pair(parameter.randomisation),
        "unit": unit,
    })
}

fn log(log: &Calibration) -> Value {
    let (prepared, fit) = (&log.prepared, &log.fit);
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
        "warnings": log.warnings,
        "notes": notes,
    });
    if let (Some(selection), Some(entry)) = (&log.selection, entry.as_object_mut()) {
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

fn scene_fit(scene: &SceneFit) -> Value {
    let entry = scene_entry::entry_of(&scene.config);
    let softness = |softness: Softness| json!({ "stiffness": finite(softness.stiffness), "damping": finite(softness.damping) });
    let settings: Map<String, Value> = scene_entry::numbers(&entry)
        .map(|(name, value)| (name.to_owned(), finite(value)))
        .collect();
    json!({
        "torso": scene.torso,
        "stiffness_error": finite(scene.stiffness_error),
        "damping_error": finite(scene.damping_error),
        "stiffness": finite(scene.simulated.stiffness),
        "damping": finite(scene.simulated.damping),
        "target": softness(scene.target),
        "untuned": softness(scene.untuned),
        "settings": settings,
        "reached": scene.reached,
        "reason": scene.reason,
        "n_presses": scene.n_presses,
        "tracking_rmse_m": finite(scene.tracking_rmse),
    })
}

fn simulated_press(press: &RepeatedPress) -> Value {
    json!({
        "torso": press.torso,
        "stiffness": finite(press.simulated.stiffness),
        "damping": finite(press.simulated.damping),
        "stiffness_error": finite(press.stiffness_error),
        "damping_error": finite(press.damping_error),
        "force_rmse_n": finite(press.force_rmse),
        "feels_the_same": press.has_equal_stiffness(),
    })
}

/// JSON has no NaN and no infinity.
fn finite(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn pair(values: [f64; 2]) -> Value {
    values.into_iter().map(finite).collect()
}

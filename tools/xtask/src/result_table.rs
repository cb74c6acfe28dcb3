//! Tables that are made of what a command printed as JSON.
//!
//! ```json
//! "table": { "columns": ["task", "success"], "rows": [],
//!            "from": { "pointer": "/0/rows", "cells": ["/problem", "/success percent"] } }
//! ```
//!
//! `pointer` (RFC 6901) is a list in the outputs of the commands, and a row is made of each of its members. A cell is the pointer of a
//! value in the member, with `percent` for a share. A score, which is a map of `mean` and `ci95`, is shown with its interval.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

/// Shown for a value that is missing or null.
const NOTHING: &str = "–";

/// Rows of the table `from` the outputs.
pub(crate) fn rows(from: &Value, printed: &Value) -> Result<Value> {
    let pointer = from["pointer"]
        .as_str()
        .context("`table.from.pointer` is missing")?;
    let list = printed
        .pointer(pointer)
        .and_then(Value::as_array)
        .with_context(|| format!("no list at {pointer} of the output"))?;
    let cells = from["cells"]
        .as_array()
        .context("`table.from.cells` is missing")?;
    let row = |member: &Value| -> Result<Value> {
        let texts = cells
            .iter()
            .map(|own| cell(own.as_str().context("a cell is a string")?, member));
        Ok(Value::Array(texts.collect::<Result<_>>()?))
    };
    Ok(Value::Array(list.iter().map(row).collect::<Result<_>>()?))
}

fn cell(what: &str, member: &Value) -> Result<Value> {
    let (pointer, factor, unit) = match what.strip_suffix(" percent") {
        Some(pointer) => (pointer, 100.0, " %"),
        None => (what, 1.0, ""),
    };
    let text = match member.pointer(pointer).unwrap_or(&Value::Null) {
        Value::Null => NOTHING.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.len().to_string(),
        Value::Object(score) => score_text(score, factor, unit),
        Value::Number(number) if number.is_u64() && unit.is_empty() => number.to_string(),
        Value::Number(number) => {
            let number = factor * number.as_f64().context("a number is finite")?;
            format!("{}{unit}", rounded(number, number.abs()))
        }
        Value::Bool(own) => own.to_string(),
    };
    Ok(Value::String(text))
}

/// A mean with its interval, if it has one.
fn score_text(score: &Map<String, Value>, factor: f64, unit: &str) -> String {
    let number = |value: &Value| value.as_f64().map(|number| factor * number);
    let Some(mean) = score.get("mean").and_then(number) else {
        return NOTHING.to_owned();
    };
    let ends = ["/0", "/1"].map(|end| score.get("ci95")?.pointer(end).and_then(number));
    match ends {
        [Some(low), Some(high)] => {
            let scale = mean.abs().max(low.abs()).max(high.abs());
            let [mean, low, high] = [mean, low, high].map(|number| rounded(number, scale));
            format!("{mean}{unit} ({low} to {high})")
        }
        _ => format!("{}{unit}", rounded(mean, mean.abs())),
    }
}

/// A number to three digits of the largest one that stands next to it.
fn rounded(number: f64, scale: f64) -> String {
    // Six decimals would not show it.
    if scale < 5e-7 {
        return "0".to_owned();
    }
    let exponent = scale.log10().floor();
    let decimals = (2.0 - exponent).clamp(0.0, 6.0) as usize;
    format!("{number:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_is_made_of_each_member() {
        let from = json!({"pointer": "/1/rows", "cells": ["/who", "/success percent", "/return", "/seeds", "/cost", "/n"]});
        let printed = json!([0, {"rows": [
            {"who": "ppo", "success": {"mean": 0.875, "ci95": [0.5, 1.0]}, "return": {"mean": -4.0625, "ci95": [-5.0, -3.125]},
             "seeds": [1, 2, 3], "n": 4},
            {"who": "zero", "success": null, "return": {"mean": null, "ci95": [null, null]}, "seeds": [], "cost": {"mean": 0.5, "ci95": [null, null]}, "n": 0},
        ]}]);
        let expected = json!([
            [
                "ppo",
                "88 % (50 to 100)",
                "−4.06 (−5.00 to −3.12)",
                "3",
                "–",
                "4"
            ],
            ["zero", "–", "–", "0", "0.500", "0"],
        ]);
        assert_eq!(
            rows(&from, &printed).expect("the values are there"),
            expected
        );
        let nowhere = json!({"pointer": "/2", "cells": []});
        assert!(rows(&nowhere, &printed).is_err());
    }
}

//! Figures of the pages: `docs/results/NAME.json` holds what a command measured, and pages show it between comments.
//!
//! `<!-- figure NAME.KEY -->…<!-- end -->` is a value, `<!-- table NAME -->…<!-- end -->` a table with its source.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// Sets of figures by their names.
pub(crate) type Sets = BTreeMap<String, Value>;

const END: &str = "<!-- end -->";

/// Reads all sets and checks that each states its source.
pub(crate) fn read_sets(root: &Path) -> Result<Sets> {
    let folder = root.join("docs/results");
    let mut sets = Sets::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let set = fs::read_to_string(&path).map_err(anyhow::Error::from);
        let set = set.and_then(|text| checked(&text));
        sets.insert(name, set.with_context(|| path.display().to_string())?);
    }
    Ok(sets)
}

/// Parses a set and checks its fields.
fn checked(text: &str) -> Result<Value> {
    let set: Value = serde_json::from_str(text)?;
    ensure!(set["title"].is_string(), "`title` is missing");
    let commands = set["commands"]
        .as_array()
        .context("`commands` is missing")?;
    ensure!(
        commands.iter().all(Value::is_string),
        "a command is a string"
    );
    for key in ["commit", "date", "machine"] {
        let value = set
            .get(key)
            .with_context(|| format!("`{key}` is missing: null if unknown"))?;
        ensure!(
            value.is_string() || value.is_null(),
            "`{key}` is a string or null"
        );
    }
    for (key, value) in set["values"].as_object().into_iter().flatten() {
        shown(value).with_context(|| format!("`values.{key}`"))?;
        ensure!(
            value["unit"].is_string(),
            "`values.{key}.unit` is missing: \"1\" if it has none"
        );
        ensure!(
            value.get("pointer").is_some(),
            "`values.{key}.pointer` is missing: null if unknown"
        );
    }
    Ok(set)
}

/// The text with all its figures as in `sets`.
pub(super) fn fill(text: &str, sets: &Sets) -> Result<String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((start, what)) = marker(rest) {
        let opening = &rest[start..];
        let inside = start + opening.find("-->").context("a marker ends with `-->`")? + "-->".len();
        let name = rest[start..inside]
            .trim_start_matches("<!-- ")
            .trim_end_matches(" -->");
        let name = name.split_once(' ').map_or("", |(_, name)| name);
        let end = rest[inside..]
            .find(END)
            .with_context(|| format!("`{name}` has no `{END}`"))?;
        filled.push_str(&rest[..inside]);
        filled.push_str(&match what {
            Marker::Figure => figure(name, sets)?,
            Marker::Table => table(name, sets)?,
        });
        filled.push_str(END);
        rest = &rest[inside + end + END.len()..];
    }
    filled.push_str(rest);
    Ok(filled)
}

#[derive(Clone, Copy)]
enum Marker {
    Figure,
    Table,
}

/// The first marker of a text.
fn marker(text: &str) -> Option<(usize, Marker)> {
    let figure = text
        .find("<!-- figure ")
        .map(|start| (start, Marker::Figure));
    let table = text.find("<!-- table ").map(|start| (start, Marker::Table));
    figure
        .into_iter()
        .chain(table)
        .min_by_key(|(start, _)| *start)
}

fn set<'a>(name: &str, sets: &'a Sets) -> Result<&'a Value> {
    sets.get(name)
        .with_context(|| format!("docs/results/{name}.json does not exist"))
}

fn figure(name: &str, sets: &Sets) -> Result<String> {
    let (of, key) = name
        .split_once('.')
        .with_context(|| format!("`{name}` is not NAME.KEY"))?;
    let value = set(of, sets)?["values"].get(key);
    shown(value.with_context(|| format!("docs/results/{of}.json has no value `{key}`"))?)
}

/// A value with its number of significant digits; the two ends of a range are joined by "to".
fn shown(value: &Value) -> Result<String> {
    let digits = value["digits"].as_u64().context("`digits` is missing")?;
    let numbers = match &value["value"] {
        Value::Array(ends) => ends.iter().map(Value::as_f64).collect(),
        one => Some(vec![one.as_f64().context("`value` is a number or two")?]),
    };
    let numbers: Vec<f64> = numbers.context("`value` is a number or two")?;
    let digits = usize::try_from(digits).context("`digits`")?;
    ensure!(
        (1..=15).contains(&digits),
        "`digits` is {digits}, allowed 1 to 15"
    );
    let texts: Vec<String> = numbers
        .iter()
        .map(|&number| rounded(number, digits))
        .collect();
    Ok(texts.join(" to "))
}

/// A number with `digits` significant digits, and a space between thousands from 10 000 on.
fn rounded(number: f64, digits: usize) -> String {
    let scientific = format!("{:.*e}", digits - 1, number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if number < 0.0 { "−" } else { "" };
    if exponent < -3 {
        return format!("{sign}{mantissa}e{exponent}");
    }
    let decimals = i32::try_from(digits).unwrap_or(i32::MAX) - 1 - exponent;
    let value: f64 = scientific.parse().unwrap_or_default();
    let plain = format!("{value:.*}", usize::try_from(decimals).unwrap_or(0));
    format!("{sign}{}", grouped(&plain))
}

fn grouped(plain: &str) -> String {
    let n_whole = plain.find('.').unwrap_or(plain.len());
    if n_whole < 5 {
        return plain.to_owned();
    }
    let mut text = String::new();
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && index < n_whole && (n_whole - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// The table of a set and a line with its source.
fn table(name: &str, sets: &Sets) -> Result<String> {
    let set = set(name, sets)?;
    let columns = cells(&set["table"]["columns"])?;
    let rows = set["table"]["rows"]
        .as_array()
        .with_context(|| format!("`{name}` has no table"))?;
    let mut lines = vec![row(&columns), format!("|{}", "---|".repeat(columns.len()))];
    for cells_of_row in rows {
        let cells = cells(cells_of_row)?;
        if cells.len() != columns.len() {
            bail!(
                "`{name}`: a row has {} cells, {} expected",
                cells.len(),
                columns.len()
            );
        }
        lines.push(row(&cells));
    }
    Ok(format!("\n{}\n\n{}\n", lines.join("\n"), source(set)))
}

fn cells(value: &Value) -> Result<Vec<&str>> {
    let cells = value.as_array().context("a row is a list of strings")?;
    let texts = cells
        .iter()
        .map(|cell| cell.as_str().context("a cell is a string"));
    texts.collect()
}

fn row(cells: &[&str]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// Command, commit, date and machine of a set.
fn source(set: &Value) -> String {
    let commands = set["commands"].as_array().into_iter().flatten();
    let commands: Vec<String> = commands
        .filter_map(Value::as_str)
        .map(|line| format!("`{line}`"))
        .collect();
    let known = ["commit", "date", "machine"].map(|key| (key, set[key].as_str()));
    let mut parts = Vec::new();
    if !commands.is_empty() {
        parts.push(commands.join("; "));
    }
    for (key, value) in known {
        match value {
            Some(value) if key == "commit" => parts.push(format!("commit {value}")),
            Some(value) => parts.push(value.to_owned()),
            None => {}
        }
    }
    let missing: Vec<&str> = known
        .iter()
        .filter(|(_, value)| value.is_none())
        .map(|(key, _)| *key)
        .collect();
    if !missing.is_empty() {
        parts.push(format!("not recorded: {}", missing.join(", ")));
    }
    format!("Source: {}.", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> Sets {
        let text = r#"{"title": "t", "commands": ["a b"], "commit": null, "date": "2026-11-22", "machine": "m",
            "values": {"x": {"value": 61342.0, "digits": 2, "unit": "1/s", "pointer": null}},
            "table": {"columns": ["a", "b"], "rows": [["1", "2"]]}}"#;
        Sets::from([("s".to_owned(), checked(text).expect("the set is valid"))])
    }

    #[test]
    fn figures_and_tables_are_filled_in() {
        let text = "is <!-- figure s.x -->1<!-- end -->/s\n<!-- table s -->\n<!-- end -->\n";
        let expected = "is <!-- figure s.x -->61 000<!-- end -->/s\n<!-- table s -->\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                        Source: `a b`; 2026-11-22; m; not recorded: commit.\n<!-- end -->\n";
        let filled = fill(text, &sets()).expect("all names are known");
        assert_eq!(filled, expected);
        assert_eq!(fill(&filled, &sets()).expect("the same"), filled);
        assert!(fill("<!-- figure s.y --><!-- end -->", &sets()).is_err());
        assert!(fill("<!-- table s -->", &sets()).is_err());
    }

    #[test]
    fn numbers_are_rounded_to_their_digits() {
        for (number, digits, expected) in [
            (61_342.0, 2, "61 000"),
            (1234.5, 2, "1200"),
            (29.4, 2, "29"),
            (0.012_34, 2, "0.012"),
            (1e-6, 1, "1e-6"),
            (-5.47, 3, "−5.47"),
            (99.96, 3, "100"),
            (0.0, 2, "0.0"),
        ] {
            assert_eq!(rounded(number, digits), expected);
        }
    }

    #[test]
    fn a_set_without_its_source_is_refused() {
        let error = checked(r#"{"title": "t", "commands": [], "commit": null, "date": null}"#);
        assert!(error.is_err_and(|error| error.to_string().contains("machine")));
    }
}

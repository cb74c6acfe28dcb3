//! `cargo xtask results [NAME…]`: measures sets of figures again and writes them into `docs/results` and the pages.
//!
//! A value with a `pointer` (RFC 6901) is read from the list of what the commands print as JSON: `/1/rate` is `rate` of
//! the second command. A table with `from` is made of a list in that output ([`result_table`]). Values without a pointer and other tables
//! are written by hand from what the commands print.

use std::fs;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::book;
use crate::command::{cargo, root};
use crate::result_table;

/// Measures the named sets, or lists all of them if none is named.
pub(crate) fn run(names: &[String]) -> Result<ExitCode> {
    let sets = book::read_sets(&root())?;
    if names.is_empty() {
        for (name, set) in &sets {
            eprintln!("{name:24} {}", set["title"].as_str().unwrap_or_default());
        }
        eprintln!("\n`cargo xtask results NAME…` runs the commands of these sets");
        return Ok(ExitCode::SUCCESS);
    }
    for name in names {
        let set = sets
            .get(name)
            .with_context(|| format!("docs/results/{name}.json does not exist"))?;
        let set = measured(set).with_context(|| name.clone())?;
        let text = serde_json::to_string_pretty(&set)? + "\n";
        fs::write(root().join(format!("docs/results/{name}.json")), text)?;
    }
    book::fill()?;
    Ok(ExitCode::SUCCESS)
}

/// The set with the values, commit, date and machine of now.
fn measured(set: &Value) -> Result<Value> {
    let mut set = set.clone();
    let commands = set["commands"].as_array().into_iter().flatten();
    let commands: Vec<String> = commands
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let mut printed = Vec::new();
    let is_by_hand = set
        .get("table")
        .is_some_and(|table| table.get("from").is_none());
    for line in &commands {
        eprintln!("running: {line}");
        let text = output(line)?;
        if is_by_hand {
            eprintln!("{text}");
        }
        printed.push(serde_json::from_str(&text).unwrap_or(Value::Null));
    }
    if is_by_hand {
        eprintln!("note: the table is written by hand from this output");
    }
    let printed = Value::Array(printed);
    if let Some(from) = set["table"].get("from") {
        set["table"]["rows"] = result_table::rows(from, &printed)?;
    }
    take_values(&mut set, &printed)?;
    set["commit"] =
        first_line(Command::new("git").args(["rev-parse", "--short=8", "HEAD"]))?.into();
    set["date"] = first_line(Command::new("date").arg("+%Y-%m-%d"))?.into();
    set["machine"] = machine()?.into();
    Ok(set)
}

/// Reads the values that have a pointer from the list of what the commands printed.
fn take_values(set: &mut Value, printed: &Value) -> Result<()> {
    for (key, value) in set["values"].as_object_mut().into_iter().flatten() {
        let Some(pointer) = value["pointer"].as_str() else {
            eprintln!("note: `{key}` has no pointer: write it by hand");
            continue;
        };
        let number = printed.pointer(pointer).filter(|number| number.is_number());
        let number =
            number.with_context(|| format!("`{key}`: no number at {pointer} of the output"))?;
        value["value"] = number.clone();
    }
    Ok(())
}

/// What a command prints. `insonate` is the release build of this checkout; variables may stand before the program.
fn output(line: &str) -> Result<String> {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some(variable) = words.next_if(|word| word.contains('=')) {
        variables.extend(variable.split_once('='));
    }
    let mut command = match words.next() {
        Some("insonate") => cargo(&[
            "run",
            "--release",
            "--quiet",
            "--package",
            "insonate",
            "--bin",
            "insonate",
            "--",
        ]),
        Some("cargo") => cargo(&[]),
        _ => bail!("`{line}` is neither of insonate nor of cargo: run it by hand"),
    };
    command.args(words).envs(variables).stderr(Stdio::inherit());
    let output = command
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    ensure!(output.status.success(), "`{line}` failed");
    Ok(String::from_utf8(output.stdout)?)
}

/// Name of the processor and the number of cores.
fn machine() -> Result<String> {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, name)| name);
    let n_cores = std::thread::available_parallelism().context("the number of cores")?;
    Ok(format!("{n_cores} cores of {model}"))
}

fn first_line(command: &mut Command) -> Result<String> {
    let output = command
        .current_dir(root())
        .output()
        .context("cannot start a program")?;
    ensure!(output.status.success(), "{command:?} failed");
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_at_their_pointers() {
        let text = r#"{"values": {"a": {"value": 1, "pointer": "/1/x/rate"}, "b": {"value": 2, "pointer": null}}}"#;
        let mut set: Value = serde_json::from_str(text).expect("the text is JSON");
        let printed = serde_json::json!([{}, {"x": {"rate": 7.5}}]);
        take_values(&mut set, &printed).expect("the number is there");
        assert_eq!(set["values"]["a"]["value"], 7.5);
        assert_eq!(set["values"]["b"]["value"], 2);
        assert!(take_values(&mut set, &serde_json::json!([{}])).is_err());
    }

    #[test]
    fn only_insonate_and_cargo_are_run() {
        for line in ["rm x", "PATH=x rm y", ""] {
            assert!(
                output(line).is_err_and(|error| error.to_string().contains("by hand")),
                "{line}"
            );
        }
    }
}

//! Contract: an option has one meaning: those that several commands share are in CONTRIBUTING.md, each once.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Values of an option, as help writes them, and the commands that have it.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn help(command: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(command)
        .arg("--help")
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{command:?} --help");
    String::from_utf8(output.stdout).expect("help is UTF-8")
}

/// Names of the commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("Commands:\n") else {
        return Vec::new();
    };
    list.lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The option that a line of help begins with, and its value in angle brackets or nothing.
fn option(line: &str) -> Option<(String, String)> {
    let line = line.trim_start();
    let long = match line.split_once(", ") {
        Some((short, rest)) if short.len() == 2 && short.starts_with('-') => rest,
        _ => line,
    };
    let rest = long.strip_prefix("--")?;
    let end = rest
        .find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-')
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let value = rest.trim_start().strip_prefix('<');
    let value = value.and_then(|value| value.split_once('>'));
    let value = value.map_or("", |(value, _)| value);
    Some((name.to_owned(), value.to_owned()))
}

fn collect(command: &mut Vec<String>, uses: &mut BTreeMap<String, Uses>) {
    let text = help(command);
    let options = text.split_once("Options:\n").map_or("", |(_, rest)| rest);
    let options = options.split("\nExamples:").next().unwrap_or_default();
    // Help indents options by at most 6 spaces, and their texts by more.
    let is_option = |line: &&str| line.len() - line.trim_start().len() <= 6;
    for (name, value) in options.lines().filter(is_option).filter_map(option) {
        let values = uses.entry(name).or_default();
        values.entry(value).or_default().insert(command.join(" "));
    }
    for name in commands(&text) {
        command.push(name);
        collect(command, uses);
        command.pop();
    }
}

#[test]
fn options_of_several_commands_are_in_the_table_with_their_value() {
    let mut uses = BTreeMap::new();
    collect(&mut Vec::new(), &mut uses);
    let guide = std::fs::read_to_string("CONTRIBUTING.md").expect("CONTRIBUTING.md");
    let (_, section) = guide
        .split_once("## Options of the command line")
        .expect("a section about options");
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut table: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `--")) {
        let line = line.replace("\\|", "\u{0}");
        let cells: Vec<String> = line
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"))
            .collect();
        let name = cells[1].trim_matches('`').trim_start_matches("--");
        let values = cells[2].split(" or ").map(str::to_owned).collect();
        let earlier = table.insert(name.to_owned(), values);
        assert!(earlier.is_none(), "--{name} has two rows");
    }
    let mut breaches = Vec::new();
    for (name, values) in &uses {
        let commands: BTreeSet<&String> = values.values().flatten().collect();
        let is_shared = commands.len() > 1 && name != "help" && name != "version";
        let row = table.remove(name);
        match row {
            None if is_shared => breaches.push(format!("--{name} has no row: {values:?}")),
            Some(_) if !is_shared => breaches.push(format!("--{name} is not shared")),
            Some(row) if !values.keys().all(|value| row.contains(value)) => {
                breaches.push(format!("--{name} {row:?} is {values:?}"));
            }
            _ => {}
        }
    }
    breaches.extend(table.keys().map(|name| format!("--{name} does not exist")));
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

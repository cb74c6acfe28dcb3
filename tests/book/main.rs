//! Contract: pages of the book show commands that exist, and pages that are made from the program are up to date.
//!
//! `INSTA_UPDATE=always` writes the pages instead of comparing them, as it does with golden files.

mod commands;
mod generated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program and returns what it prints.
fn insonate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

/// Standard output of a command that succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = insonate(arguments);
    assert!(output.status.success(), "insonate {arguments:?}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a folder and its subfolders with an extension, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder stays as it is").path();
        if path.is_dir() {
            files.extend(self::files(&path, extension));
        } else if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn generated_pages_are_up_to_date() {
    let mut stale = Vec::new();
    for (name, text) in generated::pages() {
        let path = root().join("docs/lookup").join(name);
        if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
            fs::write(&path, &text).expect("the page can be written");
        }
        if fs::read_to_string(&path).unwrap_or_default() != text {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} in docs/lookup differ from the program: `INSTA_UPDATE=always cargo test --test book`"
    );
}

#[test]
fn commands_of_the_pages_and_of_the_results_parse() {
    let mut breaches = Vec::new();
    let pages = files(&root().join("docs"), "md");
    for path in pages.into_iter().chain([root().join("README.md")]) {
        let text = fs::read_to_string(&path).expect("the page can be read");
        if !text.starts_with(generated::FIRST_LINE) {
            breaches.extend(commands::breaches(&path, &text));
        }
    }
    for path in files(&root().join("docs/results"), "json") {
        let text = fs::read_to_string(&path).expect("the set can be read");
        let set: serde_json::Value = serde_json::from_str(&text).expect("the set is JSON");
        for line in set["commands"].as_array().into_iter().flatten() {
            let line = line.as_str().expect("a command is a string");
            let reason = commands::wrong(line);
            breaches.extend(reason.map(|reason| format!("{}: {line}: {reason}", path.display())));
        }
    }
    assert!(
        breaches.is_empty(),
        "{} breaches:\n{}",
        breaches.len(),
        breaches.join("\n")
    );
}

#[test]
fn wrong_commands_are_found() {
    assert_eq!(
        commands::wrong("insonate scan --force 5 --output output/scan"),
        None
    );
    assert_eq!(
        commands::wrong("cargo test -p insonate-sim --test shell"),
        None
    );
    for line in [
        "insonate scan --no-such-option 5",
        "insonate scan --force five",
        "insonate no-such-command",
        "cargo test -p insonate-sim --test no_such_test",
    ] {
        assert!(commands::wrong(line).is_some(), "{line}");
    }
    let mentioned = "Use `insonate scan --no-such-option` or `insonate train TASK --seeds 1,2`.";
    assert_eq!(commands::breaches(Path::new("page.md"), mentioned).len(), 1);
}

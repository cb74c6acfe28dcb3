//! Runs the `insonate` command for tests.

use std::process::{Command, Output};

/// Runs the command.
pub(crate) fn insonate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

/// What it wrote on standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs, expects success, and returns standard output.
pub(crate) fn done(arguments: &[&str]) -> String {
    let output = insonate(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    String::from_utf8(output.stdout).expect("output is text")
}

/// Runs with `--json` and returns what it printed.
pub(crate) fn json(arguments: &[&str]) -> serde_json::Value {
    let text = done(&[arguments, &["--json"]].concat());
    serde_json::from_str(&text).expect("it prints JSON and nothing else")
}

/// Runs, expects a failure of this status with one clear line, and returns the line.
pub(crate) fn refused(arguments: &[&str], status: i32) -> String {
    let output = insonate(arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
    assert!(
        output.stdout.is_empty(),
        "{arguments:?} printed on standard output"
    );
    assert!(!text.contains("panicked"), "{text}");
    let line = text.lines().find(|line| line.starts_with("error: "));
    line.unwrap_or_else(|| panic!("{arguments:?}: {text}"))
        .to_owned()
}

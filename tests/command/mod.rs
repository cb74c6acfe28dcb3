//! Runs the `insonate` command for tests.

use std::process::{Command, Output};

/// Arguments of the command: a list, or one text that is split at spaces.
pub(crate) trait Arguments {
    /// The arguments.
    fn words(&self) -> Vec<String>;
}

impl<T: AsRef<str>> Arguments for [T] {
    fn words(&self) -> Vec<String> {
        self.iter().map(|word| word.as_ref().to_owned()).collect()
    }
}

impl<T: AsRef<str>, const N: usize> Arguments for [T; N] {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl<T: AsRef<str>> Arguments for Vec<T> {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl Arguments for str {
    fn words(&self) -> Vec<String> {
        self.split_whitespace().map(str::to_owned).collect()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<String> {
        self.as_str().words()
    }
}

/// Runs the command.
pub(crate) fn insonate(arguments: &(impl Arguments + ?Sized)) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments.words())
        .output()
        .expect("the binary starts")
}

/// Standard error of the command.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the command, expects success, and returns standard output.
pub(crate) fn done(arguments: &(impl Arguments + ?Sized)) -> String {
    let output = insonate(arguments);
    let arguments = arguments.words();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    String::from_utf8(output.stdout).expect("output is text")
}

/// Runs the command with `--json` and returns its output.
pub(crate) fn json(arguments: &(impl Arguments + ?Sized)) -> serde_json::Value {
    let mut arguments = arguments.words();
    arguments.push("--json".to_owned());
    let text = done(&arguments);
    serde_json::from_str(&text).expect("it prints JSON and nothing else")
}

/// Runs the command, expects a failure with this status and a one-line error, and returns the line.
pub(crate) fn refused(arguments: &(impl Arguments + ?Sized), status: i32) -> String {
    let output = insonate(arguments);
    let arguments = arguments.words();
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

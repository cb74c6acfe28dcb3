//! `cargo xtask ci`: what CI checks, each step with its time, stopping at the first that fails.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::command::{cargo, succeeds};

/// One check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    name: &'static str,
    /// Arguments of cargo.
    arguments: &'static [&'static str],
    /// A variable for the step alone.
    variable: Option<(&'static str, &'static str)>,
}

/// The steps, in the order in which they run: what fails soonest comes first.
const STEPS: [Step; 7] = [
    Step {
        name: "format",
        arguments: &["fmt", "--all", "--check"],
        variable: None,
    },
    Step {
        name: "lint",
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
        variable: None,
    },
    // The window needs no graphics library to build; no other step compiles it.
    Step {
        name: "viewer",
        arguments: &[
            "clippy",
            "--package",
            "insonate",
            "--features",
            "viewer",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
        variable: None,
    },
    Step {
        name: "architecture",
        arguments: &["test", "--package", "insonate", "--test", "architecture"],
        variable: None,
    },
    Step {
        name: "test",
        arguments: &["test", "--workspace"],
        // Golden files that differ fail the test instead of being written anew.
        variable: Some(("INSTA_UPDATE", "no")),
    },
    Step {
        name: "docs",
        arguments: &["doc", "--workspace", "--no-deps"],
        variable: Some(("RUSTDOCFLAGS", "--deny warnings")),
    },
    // Advisories need a database from the network: `cargo deny check advisories`.
    Step {
        name: "deny",
        arguments: &["deny", "check", "bans", "licenses", "sources"],
        variable: None,
    },
];

/// The steps of these names, or all; the error names one that does not exist.
pub(crate) fn steps(names: &[String]) -> Result<Vec<Step>, String> {
    if names.is_empty() {
        return Ok(STEPS.to_vec());
    }
    let known = |name: &String| STEPS.iter().find(|step| step.name == name).copied();
    names
        .iter()
        .map(|name| known(name).ok_or_else(|| unknown(name)))
        .collect()
}

fn unknown(name: &str) -> String {
    let names = STEPS.map(|step| step.name).join(" ");
    format!("unknown step `{name}` of `ci`, it has: {names}")
}

/// Runs the steps and prints a line with its time after each.
pub(crate) fn run(steps: &[Step]) -> Result<ExitCode> {
    let start = Instant::now();
    for step in steps {
        if step.name == "deny" && !succeeds(&mut cargo(&["deny", "--version"])) {
            eprintln!(
                "==> deny: skipped, cargo-deny is not installed (`cargo install cargo-deny --locked`)"
            );
            continue;
        }
        let line = format!("cargo {}", step.arguments.join(" "));
        eprintln!("==> {}: {line}", step.name);
        let step_start = Instant::now();
        let passed = command(step)
            .status()
            .context("cannot start cargo")?
            .success();
        let seconds = step_start.elapsed().as_secs_f64();
        let verdict = if passed { "passed" } else { "FAILED" };
        eprintln!("==> {}: {verdict} after {seconds:.1} s", step.name);
        if !passed {
            return Ok(ExitCode::FAILURE);
        }
    }
    eprintln!(
        "==> all passed after {:.1} s",
        start.elapsed().as_secs_f64()
    );
    Ok(ExitCode::SUCCESS)
}

fn command(step: &Step) -> Command {
    let mut command = cargo(step.arguments);
    command.envs(step.variable);
    command
}

//! `cargo xtask ci`: the checks of CI, each with its time. Stops at the first failure.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use crate::command::{cargo, succeeds};
use crate::{book, own_task, python, test_programs};

/// One check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    name: &'static str,
    job: Job,
}

/// Action of a step.
#[derive(Debug, Clone, Copy)]
enum Job {
    /// Arguments of cargo, and an environment variable for this step only.
    Cargo(
        &'static [&'static str],
        Option<(&'static str, &'static str)>,
    ),
    /// Any other action, with its description.
    Other(&'static str, fn() -> Result<()>),
}

/// The steps in the order of execution. Steps that fail sooner come first.
const STEPS: [Step; 10] = [
    Step {
        name: "format",
        job: Job::Cargo(&["fmt", "--all", "--check"], None),
    },
    Step {
        name: "lint",
        job: Job::Cargo(
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                // The window needs no graphics library to build, and no other step compiles it.
                "--features",
                "insonate/viewer",
                "--",
                "--deny",
                "warnings",
            ],
            None,
        ),
    },
    Step {
        name: "architecture",
        job: Job::Cargo(
            &["test", "--package", "insonate", "--test", "architecture"],
            None,
        ),
    },
    Step {
        name: "book",
        job: Job::Other("links, words and figures of the book", book::check),
    },
    Step {
        name: "test",
        job: Job::Other("every test of the workspace", test),
    },
    Step {
        name: "docs",
        job: Job::Cargo(
            // With the features of the step "lint", whose checks of other crates it then shares.
            &[
                "doc",
                "--workspace",
                "--no-deps",
                "--features",
                "insonate/viewer",
            ],
            Some(("RUSTDOCFLAGS", "--deny warnings")),
        ),
    },
    // Advisories need a database from the network: `cargo deny check advisories`.
    Step {
        name: "deny",
        job: Job::Cargo(&["deny", "check", "bans", "licenses", "sources"], None),
    },
    Step {
        name: "python",
        job: Job::Other("tests of the Python package", python::test),
    },
    // After `python`: this crate finds libmujoco by another path, with which its bindings are built again.
    Step {
        name: "own-task",
        job: Job::Other("the crate that docs/do/own-task.md prints", own_task::test),
    },
    Step {
        name: LEARNERS,
        job: Job::Other("short trainings in Python", python::test_learners),
    },
];

/// Golden files that differ fail the test instead of being overwritten.
fn test() -> Result<()> {
    ensure!(
        test_programs::all_pass(Some(("INSTA_UPDATE", "no")))?,
        "tests fail"
    );
    Ok(())
}

/// Not part of the default steps: it installs gigabytes.
const LEARNERS: &str = "learners";

/// The steps with these names, or all. The error lists an unknown name.
pub(crate) fn steps(names: &[String]) -> Result<Vec<Step>, String> {
    if names.is_empty() {
        let all = STEPS.into_iter();
        return Ok(all.filter(|step| step.name != LEARNERS).collect());
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

/// Runs the steps and prints the time of each.
pub(crate) fn run(steps: &[Step]) -> Result<ExitCode> {
    let start = Instant::now();
    for step in steps {
        if step.name == "deny" && !succeeds(&mut cargo(&["deny", "--version"])) {
            eprintln!(
                "==> deny: skipped, cargo-deny is not installed (`cargo install cargo-deny --locked`)"
            );
            continue;
        }
        let line = match step.job {
            Job::Cargo(arguments, _) => format!("cargo {}", arguments.join(" ")),
            Job::Other(line, _) => line.to_owned(),
        };
        eprintln!("==> {}: {line}", step.name);
        let step_start = Instant::now();
        let passed = match step.job {
            Job::Cargo(arguments, variable) => cargo(arguments)
                .envs(variable)
                .status()
                .context("cannot start cargo")?
                .success(),
            Job::Other(_, test) => match test() {
                Ok(()) => true,
                Err(error) => {
                    eprintln!("error: {error:#}");
                    false
                }
            },
        };
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

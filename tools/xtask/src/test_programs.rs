//! `cargo xtask test`: builds every test program of the workspace, and runs as many at a time as there are processors.
//!
//! `cargo test` runs one program after another, and a program of few tests leaves processors idle. Each program here
//! runs its tests one after another instead.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::command::{cargo, root};

/// Programs whose times are listed at the end.
const N_SLOWEST: usize = 10;

/// A test program that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestProgram {
    /// Source file, relative to the checkout.
    source: PathBuf,
    /// Folder of the package, in which cargo runs its tests.
    folder: PathBuf,
    executable: PathBuf,
}

/// How a test program ended.
#[derive(Debug)]
struct Ended {
    name: String,
    passed: bool,
    duration: Duration,
}

/// Runs the tests with these arguments of `cargo test`; without arguments all of them, several programs at a time.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    if arguments.is_empty() {
        let passed = all_pass(None)?;
        return Ok(if passed {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    crate::command::exit_code(cargo(&["test", "--workspace"]).args(arguments))
}

/// Runs every test with this environment variable, and returns whether all pass.
pub(crate) fn all_pass(variable: Option<(&str, &str)>) -> Result<bool> {
    let Some(programs) = build()? else {
        return Ok(false);
    };
    let start = Instant::now();
    let mut ended = run_programs(&programs, variable)?;
    eprintln!(
        "{} test programs ended after {:.1} s; the slowest:",
        ended.len(),
        start.elapsed().as_secs_f64()
    );
    ended.sort_by_key(|program| std::cmp::Reverse(program.duration));
    for program in ended.iter().take(N_SLOWEST) {
        eprintln!("{:8.1} s  {}", program.duration.as_secs_f64(), program.name);
    }
    let examples_pass = cargo(&["test", "--workspace", "--doc", "--quiet"])
        .envs(variable)
        .status()
        .context("cannot start cargo")?
        .success();
    let failed: Vec<_> = ended.iter().filter(|program| !program.passed).collect();
    for program in &failed {
        eprintln!("FAILED: {}", program.name);
    }
    Ok(failed.is_empty() && examples_pass)
}

/// Builds the test programs and lists them in the order of their execution; `None` if the build fails.
fn build() -> Result<Option<Vec<TestProgram>>> {
    let output = cargo(&[
        "test",
        "--workspace",
        // Without the programs of examples, which the step "lint" of CI checks.
        "--lib",
        "--bins",
        "--tests",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ])
    .stderr(Stdio::inherit())
    .output()
    .context("cannot start cargo")?;
    if !output.status.success() {
        return Ok(None);
    }
    let messages = String::from_utf8(output.stdout).context("cargo writes UTF-8")?;
    Ok(Some(in_order(
        messages
            .lines()
            .filter_map(|line| test_program(line, &root()))
            .collect(),
    )))
}

/// The test program in one of cargo's messages.
fn test_program(line: &str, root: &Path) -> Option<TestProgram> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let source = Path::new(message["target"]["src_path"].as_str()?);
    Some(TestProgram {
        source: source.strip_prefix(root).unwrap_or(source).to_path_buf(),
        folder: Path::new(message["manifest_path"].as_str()?)
            .parent()?
            .to_path_buf(),
        executable: message["executable"].as_str()?.into(),
    })
}

/// The tests of commands first, because they last longest, and a long program that starts last runs alone.
fn in_order(mut programs: Vec<TestProgram>) -> Vec<TestProgram> {
    programs.sort_by_key(|program| {
        let runs_commands = program.source.starts_with("tests");
        (!runs_commands, program.source.clone())
    });
    programs
}

/// Runs the programs, one per processor at a time.
fn run_programs(programs: &[TestProgram], variable: Option<(&str, &str)>) -> Result<Vec<Ended>> {
    let n_at_once = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let ended = Mutex::new(Vec::with_capacity(programs.len()));
    let work = || -> Result<()> {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (one, output) = run_program(program, variable)?;
            let mut ended = ended
                .lock()
                .expect("no thread panics while it holds the lock");
            ended.push(one);
            let one = ended.last().expect("it was pushed");
            // Under the lock, so that outputs of two programs are not mixed.
            report(one, ended.len(), programs.len(), &output);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_at_once).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a thread does not panic"))
    })?;
    Ok(ended
        .into_inner()
        .expect("no thread panics while it holds the lock"))
}

/// Runs a program as cargo does, and returns what it has printed.
fn run_program(program: &TestProgram, variable: Option<(&str, &str)>) -> Result<(Ended, String)> {
    let start = Instant::now();
    let output = Command::new(&program.executable)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("RUST_TEST_THREADS", "1")
        .envs(variable)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.executable.display()))?;
    let ended = Ended {
        name: program.source.display().to_string(),
        passed: output.status.success(),
        duration: start.elapsed(),
    };
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.code().is_none() {
        let _ = writeln!(text, "ended by {}", output.status);
    }
    Ok((ended, text))
}

/// One line for a program that passed, and everything that it printed where it failed.
fn report(program: &Ended, n_ended: usize, n_all: usize, output: &str) {
    let verdict = if program.passed { "ok" } else { "FAILED" };
    if !program.passed {
        eprint!("{output}");
    }
    eprintln!(
        "[{n_ended}/{n_all}] {}: {verdict}, {:.1} s",
        program.name,
        program.duration.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of cargo about a program.
    fn message(source: &str, is_test: bool) -> String {
        serde_json::json!({
            "reason": "compiler-artifact",
            "manifest_path": "/checkout/sim/Cargo.toml",
            "target": { "src_path": source },
            "profile": { "test": is_test },
            "executable": "/checkout/target/debug/deps/program-1",
        })
        .to_string()
    }

    #[test]
    fn test_programs_are_found_in_cargos_messages() {
        let root = Path::new("/checkout");
        let found = test_program(&message("/checkout/sim/tests/arm.rs", true), root);
        let expected = TestProgram {
            source: "sim/tests/arm.rs".into(),
            folder: "/checkout/sim".into(),
            executable: "/checkout/target/debug/deps/program-1".into(),
        };
        assert_eq!(found, Some(expected));
        let example = message("/checkout/sim/examples/arm.rs", false);
        assert_eq!(test_program(&example, root), None);
        let finished = r#"{"reason":"build-finished","success":true}"#;
        assert_eq!(test_program(finished, root), None);
    }

    #[test]
    fn tests_of_commands_come_first() {
        let sources = [
            "base/files/src/lib.rs",
            "tests/scan.rs",
            "sim/tests/arm.rs",
            "tests/cli.rs",
        ];
        let root = Path::new("/checkout");
        let programs = sources.map(|source| {
            test_program(&message(&format!("/checkout/{source}"), true), root)
                .expect("it is a test program")
        });
        let ordered = in_order(programs.to_vec());
        let ordered: Vec<_> = ordered
            .iter()
            .map(|program| program.source.to_str())
            .collect();
        let expected = [
            "tests/cli.rs",
            "tests/scan.rs",
            "base/files/src/lib.rs",
            "sim/tests/arm.rs",
        ];
        assert_eq!(ordered, expected.map(Some));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_or_is_killed_is_reported_with_its_output() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a scratch folder");
        let program = |name: &str, script: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it is written");
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("it is executable");
            TestProgram {
                source: name.into(),
                folder: folder.path().into(),
                executable: path,
            }
        };
        let (passed, output) = run_program(
            &program("passes", "echo $RUST_TEST_THREADS $COLOUR $(pwd)"),
            Some(("COLOUR", "red")),
        )
        .expect("it starts");
        assert!(passed.passed);
        assert_eq!(output.trim(), format!("1 red {}", folder.path().display()));
        let (failed, output) =
            run_program(&program("fails", "echo why >&2; exit 101"), None).expect("it starts");
        assert!(!failed.passed && output.contains("why"));
        let (killed, output) =
            run_program(&program("killed", "kill -9 $$"), None).expect("it starts");
        assert!(!killed.passed && output.contains("signal: 9"), "{output}");
        let programs: Vec<_> = ["one", "two", "three", "four", "five"]
            .iter()
            .map(|name| program(name, &format!("test {name} != three")))
            .collect();
        let ended = run_programs(&programs, None).expect("they start");
        let failed: Vec<_> = ended.iter().filter(|one| !one.passed).collect();
        assert_eq!((ended.len(), failed.len()), (5, 1));
        assert_eq!(failed[0].name, "three");
    }
}

//! `cargo xtask …`: fetches libmujoco, then runs, tests and checks insonate, and builds its wheel.
//!
//! It links no MuJoCo and no crate of the workspace, so that it builds on a fresh clone.

mod book;
mod ci;
mod command;
mod library;
mod own_task;
mod python;
mod result_table;
mod results;
mod setup;
mod test_programs;
mod wheel;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::command::cargo;
use crate::setup::SetupOptions;

const HELP: &str = "\
cargo xtask: sets up, runs, tests and checks this checkout of insonate

Usage: cargo xtask <COMMAND> [ARGUMENTS]

Commands:
  setup [--force] [--wheel FILE]  fetch libmujoco into .mujoco/ (once; quick when it is there)
  run [--full] [ARGUMENTS]        setup, then `insonate ARGUMENTS` built with --release;
                                  without arguments a scan: the Panda slides a C5-2 over a patient. Until there is
                                  a release build, this scan and `run demo` take a build that is ready sooner
  test [ARGUMENTS]                setup, then every test, in as many programs at a time as there are processors;
                                  with arguments `cargo test --workspace ARGUMENTS`
  wheel                           setup, then the Python package's wheel for any Linux with glibc 2.28 or newer
  book [--check | --fill | --api] the book of docs/ as HTML in target/book; --check only checks its links, words and
                                  figures; --fill writes the figures of docs/results into the pages; --api makes pages
                                  of the Python package and of all crates in target/book
  results [NAMES]                 measure sets of figures again and write them into docs/results and the pages;
                                  without names a list of the sets
  ci [STEPS]                      setup, then what CI checks: format lint architecture book test docs deny python own-task;
                                  `learners` (short trainings with torch and Ray) runs by its name only
  help                            this text

Options of run:
  --full        build everything: recordings of ROS 2, HDF5, Parquet, spreadsheets, and tissue and ultrasound on GPUs;
                without it these are left out, and the build is shorter

Options of setup:
  --force       replace what .mujoco/ holds
  --wheel FILE  take libmujoco from this wheel of the Python package `mujoco`, without network

Examples:
  cargo xtask run
  cargo xtask run press --robot ur5e --probe l12-5 --torso composite --depth 0.03 --output output/press
  cargo xtask run list
  cargo xtask run --full calibrate recording.mcap --output output/calibrate
  cargo xtask test -- --test-threads 1
  cargo xtask ci format lint
";

/// Default job of `cargo xtask run`.
const MAIN_JOB: [&str; 9] = [
    "scan",
    "--robot",
    "panda",
    "--probe",
    "c5-2",
    "--patient",
    "adult",
    "--output",
    "output/scan",
];

/// The release build, from the root of the checkout.
const RELEASE_BUILD: &str = "target/release/insonate";

/// The option of `run` that builds all features.
const FULL: &str = "--full";

/// Exit status for an invalid command line, as in the CLI.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        return print_help();
    };
    let outcome = match command.as_str() {
        "help" | "--help" | "-h" => return print_help(),
        "run" => run(rest),
        "test" => test(rest),
        _ if rest.iter().any(|word| word == "--help" || word == "-h") => return print_help(),
        "setup" => match setup_options(rest) {
            Ok(options) => setup::ensure(&options).map(|()| ExitCode::SUCCESS),
            Err(message) => return bad_usage(&message),
        },
        "wheel" => build_wheel(),
        "book" => match book::job(rest) {
            Ok(job) => book::run(job),
            Err(message) => return bad_usage(&message),
        },
        "results" => results::run(rest),
        "ci" => match ci::steps(rest) {
            Ok(steps) => setup::ensure(&SetupOptions::default()).and_then(|()| ci::run(&steps)),
            Err(message) => return bad_usage(&message),
        },
        _ => return bad_usage(&format!("unknown command `{command}`")),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Builds and runs the CLI and returns its exit status.
fn run(arguments: &[String]) -> Result<ExitCode> {
    setup::ensure(&SetupOptions::default())?;
    let (is_full, arguments) = match arguments {
        [first, rest @ ..] if first == FULL => (true, rest),
        all => (false, all),
    };
    let has_release = command::root().join(RELEASE_BUILD).exists();
    let is_first = !is_full && !has_release && is_first(arguments);
    let profile = if is_first { "first" } else { "release" };
    if is_first {
        eprintln!(
            "building with the profile `first`: it is ready sooner than a release build, which other commands take"
        );
    }
    let mut command = cargo(&["run", "--profile", profile, "--package", "insonate"]);
    command.args(["--bin", "insonate"]);
    if !is_full {
        command.arg("--no-default-features");
    }
    command.arg("--");
    if arguments.is_empty() {
        eprintln!("running: insonate {}", MAIN_JOB.join(" "));
        command.args(MAIN_JOB);
    } else {
        command.args(arguments);
    }
    command::exit_code(&mut command)
}

/// Whether a command needs only what the profile `first` optimises.
fn is_first(arguments: &[String]) -> bool {
    let first = arguments.first();
    first.is_none_or(|word| ["demo", "list"].contains(&word.as_str()))
}

/// Runs the tests of the workspace.
fn test(arguments: &[String]) -> Result<ExitCode> {
    setup::ensure(&SetupOptions::default())?;
    test_programs::run(arguments)
}

/// Builds the Python package and prints its path.
fn build_wheel() -> Result<ExitCode> {
    setup::ensure(&SetupOptions::default())?;
    eprintln!(
        "wheel: {}",
        python::build_wheel(python::Target::AnyLinux)?.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Reads the arguments of `setup`.
fn setup_options(arguments: &[String]) -> Result<SetupOptions, String> {
    let mut options = SetupOptions {
        verbose: true,
        ..SetupOptions::default()
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--force" => options.force = true,
            "--wheel" => {
                let file = words.next().ok_or("`--wheel` needs a file")?;
                options.wheel = Some(PathBuf::from(file));
            }
            _ => return Err(format!("unknown argument `{word}` of `setup`")),
        }
    }
    Ok(options)
}

fn print_help() -> ExitCode {
    match std::io::stdout()
        .write_all(HELP.as_bytes())
        .context("cannot print the help")
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn bad_usage(message: &str) -> ExitCode {
    eprintln!("error: {message}\n\nsee `cargo xtask help`");
    ExitCode::from(BAD_USAGE)
}

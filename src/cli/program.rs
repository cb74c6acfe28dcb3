//! Runs the command line for a program that has its arguments: the binary, or the Python package.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _};
use insonate::calibration::CalibrationError;
use insonate::dvrk::DvrkError;
use insonate::envs::EnvError;
use insonate::envs::tasks::{self, TaskKind};
use insonate::experiments::ExperimentError;
use insonate::learning::LearningError;
use insonate::models::ModelError;
use insonate::rl::RlError;
use insonate_settings::SettingError;

use super::error_text::worded;
use super::{Cli, Interrupted, Usage, run_record, word_hint};

/// The command line of a program with tasks of its own: `list`, `describe`, `train`, `evaluate`, `rollout` and all others know them by
/// their names. Takes the arguments of the process, and returns its exit status; see [`run`].
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use insonate::envs::tasks::{TaskKind, pendulum};
///
/// const KIND: TaskKind = TaskKind { name: "own", ..pendulum::KIND };
///
/// fn main() -> ExitCode {
///     insonate::cli::main_with(&[KIND])
/// }
/// ```
pub fn main_with(own_tasks: &[TaskKind]) -> ExitCode {
    for kind in own_tasks {
        if let Err(error) = tasks::register(*kind) {
            return report(&error.into()).into();
        }
    }
    run(std::env::args_os()).into()
}

/// Runs the command line, and returns its exit status: 0 success, 1 error, 2 wrong usage, 130 stopped by Ctrl-C.
///
/// `arguments` begin with the name of the program, as those of a process do. The command writes to standard output and standard error.
/// It listens for SIGINT and SIGTERM until the process ends, and ends the process if it is stopped while it prepares or draws: call it
/// once, from a program that does nothing else.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let words = arguments.iter().map(|word| word.to_string_lossy().into());
    let words: Vec<String> = words.collect();
    let status = match parse(&arguments) {
        Ok(command) => {
            let result = command.run();
            let is_interrupted = matches!(&result, Err(error) if error.is::<Interrupted>());
            let is_done = result.is_ok() || is_interrupted;
            run_record::finish(is_done);
            result.map_or_else(|error| report(&error), |()| 0)
        }
        Err(usage) => {
            // Like clap itself: there is nowhere to report that the terminal is gone.
            let _ = usage.print();
            if let Some(tip) = word_hint::tip(&usage, &Cli::command(), &words) {
                eprintln!("\n{tip}");
            }
            u8::try_from(usage.exit_code()).unwrap_or(2)
        }
    };
    // In a module of Python nothing else flushes it.
    let _ = std::io::stdout().flush();
    status
}

/// Parses a command line, which begins with the name of the program, and notes it for `run.toml`.
pub(super) fn parse(
    arguments: &[impl Into<OsString> + Clone + AsRef<OsStr>],
) -> Result<Cli, clap::Error> {
    let mut root = with_negative_numbers(Cli::command());
    let mut matches = root.try_get_matches_from_mut(arguments)?;
    let words = arguments.iter();
    let words = words.map(|word| word.as_ref().to_string_lossy().into());
    run_record::begin(&words.collect::<Vec<String>>(), &matches, &root);
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut root))
}

/// Lets options take negative numbers: a wrong one is then refused with the allowed range, and not as an unknown option.
fn with_negative_numbers(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let is_option = !argument.is_positional() && argument.get_action().takes_values();
        argument.allow_negative_numbers(is_option)
    });
    command.mut_subcommands(with_negative_numbers)
}

/// Prints the error; returns the exit status.
fn report(error: &anyhow::Error) -> u8 {
    // An interrupt by the user is not an error.
    if let Some(interrupted) = error.downcast_ref::<Interrupted>() {
        eprintln!("{interrupted}");
        return interrupted.status;
    }
    eprintln!("error: {}", in_one_line(error));
    if is_usage(error) { 2 } else { 1 }
}

/// The error and its causes in one line, without repetitions, in the words of the command line.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(worded) {
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

/// Whether the usage was wrong: an unknown name or a number out of range, independent of where it was found.
fn is_usage(error: &anyhow::Error) -> bool {
    fn has<E: std::error::Error + Send + Sync + 'static>(
        error: &anyhow::Error,
        is_usage: impl Fn(&E) -> bool,
    ) -> bool {
        error.downcast_ref::<E>().is_some_and(is_usage)
    }
    has(error, |_: &SettingError| true)
        || has(error, is_wrong_argument)
        || has(error, CalibrationError::is_usage)
        || has(error, is_wrong_joint)
        || has(error, is_wrong_setting)
        || has(error, is_wrong_algorithm)
        || has(error, is_wrong_experiment)
        || has(error, is_wrong_learning)
        || error.is::<Usage>()
}

fn is_wrong_argument(error: &ModelError) -> bool {
    matches!(error, ModelError::OutOfRange(_) | ModelError::Unknown(_))
}

fn is_wrong_joint(error: &DvrkError) -> bool {
    matches!(error, DvrkError::Range(_))
}

fn is_wrong_algorithm(error: &RlError) -> bool {
    match error {
        RlError::Env(error) => is_wrong_setting(error),
        RlError::OutOfRange(_) | RlError::Config { .. } | RlError::Misfit { .. } => true,
        _ => false,
    }
}

fn is_wrong_experiment(error: &ExperimentError) -> bool {
    match error {
        ExperimentError::Setting(_) => true,
        ExperimentError::Model(error) => is_wrong_argument(error),
        ExperimentError::Calibration(error) => error.is_usage(),
        ExperimentError::Arm(error) => is_wrong_joint(error),
        ExperimentError::Env(error) => is_wrong_setting(error),
        _ => false,
    }
}

fn is_wrong_learning(error: &LearningError) -> bool {
    match error {
        LearningError::NoTask | LearningError::NoTaskOfPolicy | LearningError::Differs { .. } => {
            true
        }
        LearningError::Env(error) => is_wrong_setting(error),
        LearningError::InFile { source, .. } => is_wrong_setting(source),
        LearningError::Rl(error) => is_wrong_algorithm(error),
        LearningError::Model(error) => is_wrong_argument(error),
        LearningError::Experiment(error) => is_wrong_experiment(error),
        LearningError::Torso { source, .. } => is_wrong_experiment(source),
        LearningError::Policy { source, .. } => is_wrong_learning(source),
        _ => false,
    }
}

fn is_wrong_setting(error: &EnvError) -> bool {
    match error {
        EnvError::OutOfRange(_) | EnvError::Config { .. } | EnvError::Unknown(_) => true,
        EnvError::At { source, .. } => is_wrong_setting(source),
        _ => false,
    }
}

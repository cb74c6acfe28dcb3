//! Runs the command line for a program that has its arguments: the binary, or the Python package.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser as _;
use insonate::calibration::CalibrationError;
use insonate::dvrk::DvrkError;
use insonate::envs::EnvError;
use insonate::models::ModelError;
use insonate::rl::RlError;

use super::{Cli, Interrupted, Usage};

/// Runs the command line, and returns its exit status: 0 success, 1 error, 2 wrong usage, 130 stopped by Ctrl-C.
///
/// `arguments` begin with the name of the program, as those of a process do. The command writes to standard output and standard error.
/// It listens for SIGINT and SIGTERM until the process ends, and ends the process if it is stopped while it prepares or draws: call it
/// once, from a program that does nothing else.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let status = match Cli::try_parse_from(arguments) {
        Ok(command) => command.run().map_or_else(|error| report(&error), |()| 0),
        Err(usage) => {
            // Like clap itself: there is nowhere to report that the terminal is gone.
            let _ = usage.print();
            u8::try_from(usage.exit_code()).unwrap_or(2)
        }
    };
    // In a module of Python nothing else flushes it.
    let _ = std::io::stdout().flush();
    status
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

/// The error and its causes in one line, without repetitions.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
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
    let model = error.downcast_ref::<ModelError>();
    let is_argument = model.is_some_and(|e| {
        matches!(
            e,
            ModelError::OutOfRange { .. } | ModelError::Unknown { .. }
        )
    });
    let calibration = error.downcast_ref::<CalibrationError>();
    let is_option = calibration.is_some_and(CalibrationError::is_usage);
    let arm = error.downcast_ref::<DvrkError>();
    let is_range = arm.is_some_and(|e| matches!(e, DvrkError::Range { .. }));
    let is_setting = error
        .downcast_ref::<EnvError>()
        .is_some_and(is_wrong_setting);
    let is_learning = error.downcast_ref::<RlError>().is_some_and(|e| match e {
        RlError::Env(error) => is_wrong_setting(error),
        RlError::Config { .. } | RlError::Misfit { .. } => true,
        _ => false,
    });
    is_argument || is_option || is_range || is_setting || is_learning || error.is::<Usage>()
}

fn is_wrong_setting(error: &EnvError) -> bool {
    match error {
        EnvError::Config { .. } | EnvError::Unknown { .. } => true,
        EnvError::At { source, .. } => is_wrong_setting(source),
        _ => false,
    }
}

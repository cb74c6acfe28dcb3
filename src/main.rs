//! The `insonate` command.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;
use insonate::calibration::CalibrationError;
use insonate::dvrk::DvrkError;
use insonate::envs::EnvError;
use insonate::models::ModelError;
use insonate::rl::RlError;

fn main() -> ExitCode {
    // clap exits here with status 2 if the usage is wrong.
    let command = cli::Cli::parse();
    let Err(error) = command.run() else {
        return ExitCode::SUCCESS;
    };
    // An interrupt by the user is not an error.
    if let Some(interrupted) = error.downcast_ref::<cli::Interrupted>() {
        eprintln!("{interrupted}");
        return ExitCode::from(interrupted.status);
    }
    eprintln!("error: {}", in_one_line(&error));
    ExitCode::from(if is_usage(&error) { 2 } else { 1 })
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
    let is_option = calibration.is_some_and(|e| matches!(e, CalibrationError::Option { .. }));
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
    is_argument || is_option || is_range || is_setting || is_learning || error.is::<cli::Usage>()
}

fn is_wrong_setting(error: &EnvError) -> bool {
    match error {
        EnvError::Config { .. } | EnvError::Unknown { .. } => true,
        EnvError::At { source, .. } => is_wrong_setting(source),
        _ => false,
    }
}

//! The `insonate` command.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;
use insonate::calibration::CalibrationError;
use insonate::models::ModelError;

fn main() -> ExitCode {
    // Wrong usage ends here, with status 2.
    let command = cli::Cli::parse();
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", in_one_line(&error));
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// The error and its causes, each said once.
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

/// Whether the command was called wrongly: unknown names and numbers out of range, wherever they were noticed.
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
    is_argument || is_option || error.is::<cli::Usage>()
}

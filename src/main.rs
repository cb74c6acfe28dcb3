//! The `insonate` command.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    // Wrong usage ends here, with status 2.
    let command = cli::Cli::parse();
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", in_one_line(&error));
            ExitCode::from(if error.is::<cli::Usage>() { 2 } else { 1 })
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

//! The `insonate` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(insonate::cli::run(std::env::args_os()))
}

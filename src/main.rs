//! The `insonate` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    insonate::cli::main_with(&[])
}

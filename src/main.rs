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
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            eprintln!("error: {}", causes.join(": "));
            ExitCode::from(if error.is::<cli::Usage>() { 2 } else { 1 })
        }
    }
}

//! `insonate rerun`: runs the command of an output folder again.

use std::path::PathBuf;

use clap::Args;

use super::Usage;
use super::program;
use super::run_record::{NAME, RunRecord};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate rerun output/scan --output output/again
  insonate rerun output/scan

The arguments are those of run.toml in the folder. Paths in them are relative to the working directory, so run it where the command ran.
The same version gives the same bits, except for measured times.")]
pub(crate) struct Rerun {
    /// Folder with the run.toml of a command.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Folder for the files [default: the same folder].
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Pass --overwrite on: files of an earlier training, or of another command, in the output folder are removed.
    #[arg(long)]
    overwrite: bool,
}

impl Rerun {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let record = RunRecord::read(&self.folder)?;
        let ours = env!("CARGO_PKG_VERSION");
        if record.version != ours {
            eprintln!(
                "note: {} was written by insonate {}, this is {ours}: results may differ",
                self.folder.join(NAME).display(),
                record.version
            );
        }
        let output = self.output.as_ref().unwrap_or(&self.folder);
        let line = record.command_line(&output.to_string_lossy(), self.overwrite);
        let command = program::parse(&line)
            .map_err(|error| Usage::new(RecordError::of(&self.folder, &line, &error)))?;
        if matches!(command.command, super::Command::Rerun(_)) {
            let line = line.join(" ");
            return Err(Usage::new(RecordError(format!(
                "`{line}` is the record of a rerun, which cannot be run again"
            )))
            .into());
        }
        eprintln!("{}", line.join(" "));
        command.run()
    }
}

/// Problem of a record.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RecordError(String);

impl RecordError {
    /// Arguments that this version does not take.
    fn of(folder: &std::path::Path, line: &[String], error: &clap::Error) -> Self {
        let problem = error.to_string();
        let problem = problem.lines().next().unwrap_or_default();
        let problem = problem.strip_prefix("error: ").unwrap_or(problem);
        let path = folder.join(NAME);
        Self(format!(
            "{}: {problem} in `{}`",
            path.display(),
            line.join(" ")
        ))
    }
}

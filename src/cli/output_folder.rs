//! The folder that a command fills, by the same rules for every command; `run_record` adds `run.toml` to it.

use std::path::Path;

use clap::Args;
use insonate::files::{Claim, FileError, OutputFolder};

use super::run_record;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct OverwriteArg {
    /// Remove the files that another command wrote into --output, and no others. Earlier files of the same command are always replaced.
    #[arg(long)]
    pub(crate) overwrite: bool,
}

impl OverwriteArg {
    /// The folder of a command, without the files of earlier runs.
    pub(crate) fn folder(self, path: &Path, command: &str) -> anyhow::Result<OutputFolder> {
        claimed(path, Claim::by(command).overwriting(self.overwrite))
    }
}

/// A folder; the refusal names the option that removes what is in the way.
pub(crate) fn claimed(path: &Path, claim: Claim<'_>) -> anyhow::Result<OutputFolder> {
    let folder = OutputFolder::create(path, claim).map_err(|error| match error {
        FileError::Occupied { .. } => anyhow::anyhow!(
            "{error} by --output, or have them removed by --overwrite, which leaves all other files"
        ),
        other => other.into(),
    })?;
    run_record::claim(path, claim);
    Ok(folder)
}

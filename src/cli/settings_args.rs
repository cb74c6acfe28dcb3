//! The options that give settings of a task and of its training.

use std::path::PathBuf;

use clap::Args;
use insonate::training::Given;

#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// File with any of the tables [env], [ppo] and [evaluation], as `insonate describe` and config.toml show them.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    config: Option<PathBuf>,
    /// One setting, over those of the file; may be repeated.
    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        action = clap::ArgAction::Append,
        help_heading = "Settings"
    )]
    set: Vec<String>,
}

impl SettingsArgs {
    /// What was given.
    pub(crate) fn given(&self) -> anyhow::Result<Given> {
        let mut given = match &self.config {
            Some(path) => Given::read(path)?,
            None => Given::default(),
        };
        for assignment in &self.set {
            given.set(assignment)?;
        }
        Ok(given)
    }

    /// What was given, settings of the task alone; `env.` before a setting's name may be left out.
    pub(crate) fn given_env(&self) -> anyhow::Result<Given> {
        let mut given = match &self.config {
            Some(path) => Given::read(path)?,
            None => Given::default(),
        };
        // A whole training's configuration serves too.
        given.ppo.clear();
        given.evaluation.clear();
        for assignment in &self.set {
            let part = assignment.split('.').next().unwrap_or_default();
            match part {
                "env" | "ppo" | "evaluation" => given.set(assignment)?,
                _ => given.set(&format!("env.{assignment}"))?,
            }
        }
        given.only_env()?;
        Ok(given)
    }
}

//! The options that say which task and which episodes a policy meets.

use std::collections::BTreeMap;

use clap::Args;
use insonate::envs::{EnvError, ResetOptions};

use super::settings_args::SettingsArgs;

#[derive(Debug, Args)]
pub(crate) struct EpisodeArgs {
    /// Task; may be left out where a policy file or --config says it.
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// A random parameter that is the same in all episodes; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", action = clap::ArgAction::Append)]
    fix: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

impl EpisodeArgs {
    /// Options of each reset.
    pub(crate) fn options(&self) -> Result<ResetOptions, EnvError> {
        let mut parameters = BTreeMap::new();
        for assignment in &self.fix {
            let parsed = assignment
                .split_once('=')
                .and_then(|(name, value)| Some((name.trim(), value.trim().parse::<f64>().ok()?)));
            let (name, value) = parsed.ok_or_else(|| EnvError::Config {
                field: "fix".to_owned(),
                problem: format!("{assignment:?} is no name=number, such as torso.stiffness=900"),
            })?;
            parameters.insert(name.to_owned(), value);
        }
        Ok(ResetOptions { parameters })
    }
}

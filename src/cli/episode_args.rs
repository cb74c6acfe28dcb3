//! Options for the task and the episodes of a policy.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use insonate::envs::tasks::EnvFactory;
use insonate::envs::{EnvError, ResetOptions};
use insonate::evaluation::NamedPolicy;
use toml::Table;

use super::settings_args::SettingsArgs;

#[derive(Debug, Args)]
pub(crate) struct EpisodeArgs {
    /// Task, one of `insonate list`; may be omitted if a policy file or --config names it.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    #[command(flatten)]
    episodes: EpisodeSettings,
}

impl EpisodeArgs {
    /// Policies by name, with the task and settings of these options.
    pub(crate) fn policies(&self, names: &[String]) -> anyhow::Result<Vec<NamedPolicy>> {
        let overrides = self.episodes.settings.env_overrides()?;
        let task = self.task.as_deref().or(overrides.task.as_deref());
        let policies = NamedPolicy::load_all(names, task, &overrides.env)?;
        warn(policies.iter().map(|policy| &policy.factory));
        Ok(policies)
    }

    /// Options of each reset.
    pub(crate) fn options(&self) -> Result<ResetOptions, EnvError> {
        self.episodes.options()
    }
}

/// Shows the warnings of factories on standard error, each once.
pub(crate) fn warn<'a>(factories: impl Iterator<Item = &'a EnvFactory>) {
    let warnings: BTreeSet<&String> = factories.flat_map(|factory| &factory.warnings).collect();
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// The same for commands whose task is an argument.
#[derive(Debug, Args)]
pub(crate) struct EpisodeSettings {
    #[command(flatten)]
    fixed: FixArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Random parameters that are fixed.
#[derive(Debug, Args)]
pub(crate) struct FixArgs {
    /// Fix a random parameter in all episodes; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", action = clap::ArgAction::Append)]
    pub(crate) fix: Vec<String>,
}

impl EpisodeSettings {
    /// Settings of the task over its defaults.
    pub(crate) fn overrides(&self) -> anyhow::Result<Table> {
        Ok(self.settings.env_overrides()?.env)
    }

    /// Options of each reset.
    pub(crate) fn options(&self) -> Result<ResetOptions, EnvError> {
        self.fixed.options()
    }
}

impl FixArgs {
    /// Options of each reset.
    pub(crate) fn options(&self) -> Result<ResetOptions, EnvError> {
        let mut parameters = BTreeMap::new();
        for assignment in &self.fix {
            let parsed = assignment
                .split_once('=')
                .and_then(|(name, value)| Some((name.trim(), value.trim().parse::<f64>().ok()?)));
            let (name, value) = parsed.ok_or_else(|| EnvError::Config {
                field: "fix".to_owned(),
                problem: format!("{assignment:?} is not name=number, such as torso.stiffness=900"),
            })?;
            parameters.insert(name.to_owned(), value);
        }
        Ok(ResetOptions { parameters })
    }
}

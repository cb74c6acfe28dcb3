//! Options for settings of a task and of its training.

use std::path::PathBuf;

use clap::Args;
use insonate::training::Overrides;

#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// File with any of the tables [env], [ppo] or [sac], and [evaluation], as `insonate describe` and config.toml show them.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    config: Option<PathBuf>,
    /// One setting, overriding the file; may be repeated.
    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        action = clap::ArgAction::Append,
        help_heading = "Settings"
    )]
    set: Vec<String>,
    /// Folders of made patients (insonate patient make); an episode has one of them, by its seed.
    #[arg(long, value_name = "DIR", num_args = 1.., help_heading = "Settings")]
    patients: Vec<PathBuf>,
}

impl SettingsArgs {
    /// Single settings.
    pub(crate) fn of(set: Vec<String>) -> Self {
        Self {
            config: None,
            set,
            patients: Vec::new(),
        }
    }

    /// All overrides; the prefix `env.` may be omitted.
    pub(crate) fn overrides(&self) -> anyhow::Result<Overrides> {
        let mut overrides = self.file()?;
        self.assign(&mut overrides)?;
        Ok(overrides)
    }

    fn assign(&self, overrides: &mut Overrides) -> anyhow::Result<()> {
        if !self.patients.is_empty() {
            let names = self.patients.iter().map(|own| own.display().to_string());
            let names: Vec<toml::Value> = names.map(toml::Value::from).collect();
            overrides.set(&format!("env.scene.patients={}", toml::Value::from(names)))?;
        }
        for assignment in &self.set {
            match assignment.split('.').next().unwrap_or_default() {
                "env" | "ppo" | "sac" | "evaluation" => overrides.set(assignment)?,
                _ => overrides.set(&format!("env.{assignment}"))?,
            }
        }
        Ok(())
    }

    /// Overrides of the task alone; the prefix `env.` may be omitted.
    pub(crate) fn env_overrides(&self) -> anyhow::Result<Overrides> {
        let mut overrides = self.file()?;
        // The configuration of a training serves too.
        overrides.algorithm = None;
        overrides.ppo.clear();
        overrides.sac.clear();
        overrides.evaluation.clear();
        self.assign(&mut overrides)?;
        overrides.only_env()?;
        Ok(overrides)
    }

    fn file(&self) -> anyhow::Result<Overrides> {
        let file = self.config.as_deref().map(Overrides::read);
        Ok(file.transpose()?.unwrap_or_default())
    }
}

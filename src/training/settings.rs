//! Settings of a training, complete and checked.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::overrides::overlay;
use super::{Overrides, ppo_defaults};
use crate::envs::tasks::{self, EnvFactory};
use crate::envs::{EnvError, settings};
use crate::rl::PpoConfig;

/// How a policy is evaluated during training; only `stop` affects the training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSettings {
    /// Training steps between evaluations; 0: a tenth of all.
    pub every: usize,
    /// Episodes of an evaluation, under the policy's mean action.
    pub episodes: usize,
    /// Seed of the first episode; the others follow.
    pub seed: u64,
    /// Success rate from which on the task counts as solved.
    pub success: f64,
    /// Ends the training once the task is solved.
    pub stop: bool,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        Self {
            every: 0,
            episodes: 50,
            seed: 1_000_000,
            success: 0.95,
            stop: false,
        }
    }
}

impl EvaluationSettings {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        settings::check_range("evaluation.episodes", self.episodes as f64, 1.0, 1e6)?;
        settings::check_range("evaluation.success", self.success, 0.0, 1.0)
    }

    /// Training steps between evaluations.
    pub fn interval(&self, ppo: &PpoConfig) -> u64 {
        let steps = match self.every {
            0 => ppo.total_timesteps.div_ceil(10),
            every => every,
        };
        steps.max(ppo.batch_size()) as u64
    }
}

/// Every setting of a training.
#[derive(Debug)]
pub struct TrainingSettings {
    /// Task and its settings.
    pub factory: EnvFactory,
    /// Of PPO.
    pub ppo: PpoConfig,
    /// Of the evaluations during training.
    pub evaluation: EvaluationSettings,
}

impl TrainingSettings {
    /// The defaults of a task with overrides.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for the task; [`EnvError::Config`] for an unknown or invalid setting.
    pub fn resolve(task: &str, overrides: &Overrides) -> Result<Self, EnvError> {
        let kind = tasks::by_name(task)?;
        let ppo = resolve_ppo(ppo_defaults(task), &overrides.ppo)?;
        let evaluation = settings::parse(&EvaluationSettings::default(), &overrides.evaluation)
            .map_err(|error| within("evaluation", error))?;
        evaluation.check()?;
        Ok(Self {
            factory: (kind.build)(&overrides.env).map_err(|error| within("env", error))?,
            ppo,
            evaluation,
        })
    }

    /// As a configuration file that reproduces the training.
    pub fn to_toml(&self) -> String {
        let mut file = Table::new();
        file.insert("task".to_owned(), self.factory.task.into());
        let parts = [
            ("env", self.factory.settings.clone()),
            ("ppo", settings::table(&self.ppo)),
            ("evaluation", settings::table(&self.evaluation)),
        ];
        for (name, table) in parts {
            file.insert(name.to_owned(), Value::Table(table));
        }
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "# Every setting of this training, for `insonate train --config`. insonate {version}.\n\n{file}"
        )
    }
}

/// Settings of PPO with overrides; `target_kl` and `cost_limit` may also be `none`.
///
/// # Errors
/// [`EnvError::Config`].
pub(super) fn resolve_ppo(defaults: PpoConfig, overrides: &Table) -> Result<PpoConfig, EnvError> {
    let mut overrides = overrides.clone();
    // TOML has no null, so a table of settings lacks what is none.
    let target_kl = is_set("target_kl", defaults.target_kl, &mut overrides);
    let cost_limit = is_set("cost_limit", defaults.cost_limit, &mut overrides);
    let known = PpoConfig {
        target_kl: Some(defaults.target_kl.unwrap_or(1.0)),
        cost_limit: Some(defaults.cost_limit.unwrap_or(1.0)),
        ..defaults
    };
    let mut config = settings::parse(&known, &overrides).map_err(|error| within("ppo", error))?;
    config.target_kl = config.target_kl.filter(|_| target_kl);
    config.cost_limit = config.cost_limit.filter(|_| cost_limit);
    config.check().map_err(|error| match error {
        crate::rl::RlError::Config { field, problem } => EnvError::Config {
            field: format!("ppo.{field}"),
            problem,
        },
        other => EnvError::Config {
            field: "ppo".to_owned(),
            problem: other.to_string(),
        },
    })?;
    Ok(config)
}

/// Whether a setting that may be none has a value; takes a `none` out of the overrides.
fn is_set(name: &str, default: Option<f64>, overrides: &mut Table) -> bool {
    let is_none = |value: &Value| value.as_str() == Some("none");
    if overrides.get(name).is_some_and(is_none) {
        overrides.remove(name);
        return false;
    }
    default.is_some() || overrides.contains_key(name)
}

/// Settings of a task with overrides, checked.
///
/// # Errors
/// [`EnvError::Unknown`] for the task; [`EnvError::Config`].
pub fn resolve_env(task: &str, base: &Table, over: &Table) -> Result<EnvFactory, EnvError> {
    let mut all = base.clone();
    overlay(&mut all, over);
    let kind = tasks::by_name(task)?;
    (kind.build)(&all).map_err(|error| within("env", error))
}

/// The error with the part before the name of the setting.
fn within(part: &str, error: EnvError) -> EnvError {
    match error {
        EnvError::Config { field, problem } => EnvError::Config {
            field: format!("{part}.{field}"),
            problem,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ppo(text: &str) -> Result<PpoConfig, EnvError> {
        resolve_ppo(PpoConfig::default(), &text.parse().unwrap())
    }

    #[test]
    fn optional_settings_may_be_given_left_out_and_none() {
        assert_eq!(ppo("").unwrap(), PpoConfig::default());
        assert_eq!(ppo("target_kl = 0.02").unwrap().target_kl, Some(0.02));
        let with = PpoConfig {
            target_kl: Some(0.01),
            ..PpoConfig::default()
        };
        let none = "target_kl = \"none\"".parse().unwrap();
        assert_eq!(resolve_ppo(with.clone(), &none).unwrap().target_kl, None);
        assert_eq!(resolve_ppo(with.clone(), &Table::new()).unwrap(), with);
        assert_eq!(ppo("cost_limit = 0").unwrap().cost_limit, Some(0.0));
        let none = "cost_limit = \"none\"";
        assert_eq!(ppo(none).unwrap(), PpoConfig::default());
    }

    #[test]
    fn wrong_settings_are_named_with_their_part() {
        for (text, expected) in [
            (
                "learning_rat = 1e-4",
                "ppo.learning_rat: there is no setting \"learning_rat\", did you mean \"learning_rate\"?",
            ),
            ("discount = 2.0", "ppo.discount: 2 is not allowed: 0 to 1"),
            (
                "cost_limit = -0.5",
                "ppo.cost_limit: -0.5 is not allowed: 0 to 1000000000000",
            ),
            (
                "n_envs = \"many\"",
                "ppo.n_envs: is \"many\", but needs a whole number",
            ),
        ] {
            let message = ppo(text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        let mut overrides = Overrides::default();
        overrides.set("env.gravty=3").unwrap();
        let message = TrainingSettings::resolve("pendulum", &overrides)
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("env.gravty: ") && message.contains("\"gravity\""));
    }

    #[test]
    fn a_written_configuration_gives_the_same_settings() {
        let mut overrides = Overrides::default();
        overrides.set("env.gravity=9").unwrap();
        overrides.set("ppo.target_kl=0.03").unwrap();
        let settings = TrainingSettings::resolve("pendulum", &overrides).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, settings.to_toml()).unwrap();
        let read = Overrides::read(&path).unwrap();
        assert_eq!(read.task.as_deref(), Some("pendulum"));
        let again = TrainingSettings::resolve("pendulum", &read).unwrap();
        assert_eq!(again.ppo, settings.ppo);
        assert_eq!(again.factory.settings, settings.factory.settings);
    }
}

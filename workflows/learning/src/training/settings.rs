//! Complete and checked settings of a training.

use insonate_envs::tasks::{self, EnvFactory, TaskKind};
use insonate_envs::{EnvError, named_folder, settings};
use insonate_rl::{AlgorithmConfig, AlgorithmKind, PpoConfig, RlError, SacConfig};
use insonate_settings::check_range;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::{Overrides, ppo_defaults, sac_defaults};
use crate::patients::{patient_folders, with_patients};
use crate::task_settings::within;

/// Settings of the evaluations during training. Only `stop` affects the training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSettings {
    /// Training steps between evaluations; 0 means a tenth of all steps.
    pub every: usize,
    /// Number of episodes per evaluation, with the policy's mean action.
    pub episodes: usize,
    /// Seed of the first episode; each further episode uses the next seed.
    pub seed: u64,
    /// Success rate at which the task counts as solved.
    pub success: f64,
    /// Whether to end the training as soon as the task is solved.
    pub stop: bool,
    /// Folders of made patients that are not trained on. The evaluation at the end has them and those that are.
    pub held_out: Vec<String>,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        Self {
            every: 0,
            episodes: 50,
            seed: 1_000_000,
            success: 0.95,
            stop: false,
            held_out: Vec::new(),
        }
    }
}

impl EvaluationSettings {
    /// The defaults with overrides, checked. Held-out folders have their names in the path.
    ///
    /// # Errors
    /// [`EnvError::Config`] for an unknown or invalid setting; the error of [`Self::check`].
    pub(super) fn of(overrides: &Table) -> Result<Self, EnvError> {
        let mut settings: Self = settings::parse(&Self::default(), overrides)
            .map_err(|error| within("evaluation", error))?;
        settings.check()?;
        for folder in &mut settings.held_out {
            *folder = named_folder(folder);
        }
        Ok(settings)
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("evaluation.episodes", self.episodes as f64, [1.0, 1e6], "")?;
        Ok(check_range(
            "evaluation.success",
            self.success,
            [0.0, 1.0],
            "",
        )?)
    }

    /// Training steps between evaluations.
    pub fn interval(&self, algorithm: &AlgorithmConfig) -> u64 {
        let steps = match self.every {
            0 => algorithm.total_timesteps().div_ceil(10),
            every => every,
        };
        steps.max(algorithm.iteration_size()) as u64
    }
}

/// All settings of a training.
#[derive(Debug)]
pub struct TrainingSettings {
    /// Task and its settings.
    pub factory: EnvFactory,
    /// Settings of the algorithm.
    pub algorithm: AlgorithmConfig,
    /// Settings of the evaluations during training.
    pub evaluation: EvaluationSettings,
    /// Task and its settings with the held-out patients too; `None` without them.
    pub with_held_out: Option<EnvFactory>,
}

impl TrainingSettings {
    /// The defaults of a task with overrides.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for the task; [`EnvError::Config`] for an unknown or invalid setting.
    pub fn resolve(task: &str, overrides: &Overrides) -> Result<Self, EnvError> {
        Self::of(tasks::by_name(task)?, overrides)
    }

    /// As [`TrainingSettings::resolve`], for a task that need not be in the registry.
    ///
    /// # Errors
    /// [`EnvError::Config`] for an unknown or invalid setting.
    pub fn of(kind: &TaskKind, overrides: &Overrides) -> Result<Self, EnvError> {
        let defaults = match overrides.algorithm.unwrap_or_default() {
            AlgorithmKind::Ppo => AlgorithmConfig::Ppo(ppo_defaults(kind)?),
            AlgorithmKind::Sac => AlgorithmConfig::Sac(sac_defaults(kind)?),
        };
        let algorithm = resolve_algorithm(defaults, overrides)?;
        let evaluation = EvaluationSettings::of(&overrides.evaluation)?;
        let factory = kind
            .factory(&overrides.env)
            .map_err(|error| within("env", error))?;
        Ok(Self {
            with_held_out: with_held_out(kind, &factory, &evaluation)?,
            factory,
            algorithm,
            evaluation,
        })
    }

    /// Task and its settings with all made patients: those that are trained on, and those that are held out.
    pub fn with_all_patients(&self) -> &EnvFactory {
        self.with_held_out.as_ref().unwrap_or(&self.factory)
    }

    /// The settings as a configuration file that reproduces the training.
    pub fn to_toml(&self) -> String {
        let mut file = Table::new();
        file.insert("task".to_owned(), self.factory.task.into());
        let kind = self.algorithm.kind();
        if kind != AlgorithmKind::default() {
            file.insert("algorithm".to_owned(), kind.name().into());
        }
        let parts = [
            ("env", self.factory.settings.clone()),
            (kind.name(), algorithm_table(&self.algorithm)),
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

/// The task with the held-out patients too; `None` if none is held out.
///
/// # Errors
/// [`EnvError::Config`] if there is no patient to train on, or a folder is not that of a patient.
pub(super) fn with_held_out(
    kind: &TaskKind,
    factory: &EnvFactory,
    evaluation: &EvaluationSettings,
) -> Result<Option<EnvFactory>, EnvError> {
    if evaluation.held_out.is_empty() {
        return Ok(None);
    }
    let mut all = patient_folders(&factory.settings);
    if all.is_empty() {
        return Err(EnvError::Config {
            field: "evaluation.held_out".to_owned(),
            problem: "needs patients to train on: give env.scene.patients".to_owned(),
        });
    }
    all.extend(evaluation.held_out.iter().cloned());
    let settings = with_patients(&factory.settings, &all);
    let built = (kind.build)(&settings).map_err(|error| within("env", error))?;
    Ok(Some(built))
}

/// All settings of an algorithm.
pub(super) fn algorithm_table(config: &AlgorithmConfig) -> Table {
    match config {
        AlgorithmConfig::Ppo(config) => settings::table(config),
        AlgorithmConfig::Sac(config) => settings::table(config),
    }
}

/// Settings of an algorithm with overrides. Settings of another algorithm are refused.
///
/// # Errors
/// [`EnvError::Config`].
pub(super) fn resolve_algorithm(
    defaults: AlgorithmConfig,
    overrides: &Overrides,
) -> Result<AlgorithmConfig, EnvError> {
    let (own, others) = match defaults.kind() {
        AlgorithmKind::Ppo => (&overrides.ppo, [(AlgorithmKind::Sac, &overrides.sac)]),
        AlgorithmKind::Sac => (&overrides.sac, [(AlgorithmKind::Ppo, &overrides.ppo)]),
    };
    for (other, table) in others {
        if let Some(key) = table.keys().next() {
            let kind = defaults.kind();
            return Err(EnvError::Config {
                field: format!("{other}.{key}"),
                problem: format!("has no effect: the algorithm is {kind}, not {other}"),
            });
        }
    }
    let mut all = own.clone();
    settings::overlay(&mut all, &overrides.learning);
    Ok(match defaults {
        AlgorithmConfig::Ppo(defaults) => AlgorithmConfig::Ppo(resolve_ppo(defaults, &all)?),
        AlgorithmConfig::Sac(defaults) => AlgorithmConfig::Sac(resolve_sac(defaults, &all)?),
    })
}

/// Settings of SAC with overrides; `target_entropy` may also be `none`.
///
/// # Errors
/// [`EnvError::Config`].
pub(super) fn resolve_sac(defaults: SacConfig, overrides: &Table) -> Result<SacConfig, EnvError> {
    if overrides.contains_key("cost_limit") {
        return Err(EnvError::Config {
            field: "sac.cost_limit".to_owned(),
            problem: "SAC keeps no limit of the cost: use the algorithm ppo".to_owned(),
        });
    }
    let mut overrides = overrides.clone();
    let target_entropy = is_set("target_entropy", defaults.target_entropy, &mut overrides);
    let known = SacConfig {
        target_entropy: Some(defaults.target_entropy.unwrap_or(-1.0)),
        ..defaults
    };
    let mut config = settings::parse(&known, &overrides).map_err(|error| within("sac", error))?;
    config.target_entropy = config.target_entropy.filter(|_| target_entropy);
    config.check().map_err(|error| invalid("sac", error))?;
    Ok(config)
}

/// Converts an error in an algorithm's settings; adds the name of their table.
fn invalid(table: &str, error: RlError) -> EnvError {
    match error {
        RlError::Config { field, problem } => EnvError::Config {
            field: format!("{table}.{field}"),
            problem,
        },
        RlError::OutOfRange(error) => EnvError::OutOfRange(error.within(table)),
        other => EnvError::Config {
            field: table.to_owned(),
            problem: other.to_string(),
        },
    }
}

/// Settings of PPO with overrides; `target_kl` and `cost_limit` may also be `none`.
///
/// # Errors
/// [`EnvError::Config`].
pub(super) fn resolve_ppo(defaults: PpoConfig, overrides: &Table) -> Result<PpoConfig, EnvError> {
    let mut overrides = overrides.clone();
    // TOML has no null, so settings that are `None` are missing in a table.
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
    config.check().map_err(|error| invalid("ppo", error))?;
    Ok(config)
}

/// Whether an optional setting has a value. Removes a `none` from the overrides.
fn is_set(name: &str, default: Option<f64>, overrides: &mut Table) -> bool {
    let is_none = |value: &Value| value.as_str() == Some("none");
    if overrides.get(name).is_some_and(is_none) {
        overrides.remove(name);
        return false;
    }
    default.is_some() || overrides.contains_key(name)
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
    fn held_out_folders_have_their_names() {
        let given = "held_out = [\".\", \"a/anna\"]".parse().unwrap();
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let expected = [here.display().to_string(), "a/anna".to_owned()];
        assert_eq!(EvaluationSettings::of(&given).unwrap().held_out, expected);
    }

    #[test]
    fn wrong_settings_are_named_with_their_part() {
        for (text, expected) in [
            (
                "learning_rat = 1e-4",
                "ppo.learning_rat: there is no setting \"learning_rat\", did you mean \"learning_rate\"?",
            ),
            (
                "discount = 2.0",
                "ppo.discount is 2; it must be between 0 and 1",
            ),
            (
                "cost_limit = -0.5",
                "ppo.cost_limit is -0.5; it must be between 0 and 1000000000000",
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
    fn settings_of_the_other_algorithm_have_no_effect_and_are_refused() {
        let problem = |algorithm, assignment: &str| {
            let mut overrides = Overrides {
                algorithm,
                ..Overrides::default()
            };
            overrides.set(assignment).unwrap();
            let settings = TrainingSettings::resolve("pendulum", &overrides);
            settings.unwrap_err().to_string()
        };
        assert_eq!(
            problem(None, "sac.tau=0.1"),
            "sac.tau: has no effect: the algorithm is ppo, not sac"
        );
        let sac = Some(AlgorithmKind::Sac);
        assert_eq!(
            problem(sac, "ppo.gae_lambda=0.1"),
            "ppo.gae_lambda: has no effect: the algorithm is sac, not ppo"
        );
        assert_eq!(
            problem(sac, "sac.tau=2.0"),
            "sac.tau is 2; it must be above 0 and at most 1"
        );
        assert_eq!(
            problem(sac, "sac.cost_limit=1.0"),
            "sac.cost_limit: SAC keeps no limit of the cost: use the algorithm ppo"
        );
    }

    #[test]
    fn a_written_configuration_of_sac_gives_the_same_settings() {
        let mut overrides = Overrides {
            algorithm: Some(AlgorithmKind::Sac),
            ..Overrides::default()
        };
        overrides.set("sac.target_entropy=-2.5").unwrap();
        let settings = TrainingSettings::resolve("pendulum", &overrides).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, settings.to_toml()).unwrap();
        let read = Overrides::read(&path).unwrap();
        let again = TrainingSettings::resolve("pendulum", &read).unwrap();
        assert_eq!(again.algorithm, settings.algorithm);
        std::fs::write(&path, "algorithm = \"sarc\"").unwrap();
        let problem = Overrides::read(&path).unwrap_err().to_string();
        assert!(problem.contains("did you mean \"sac\"?"), "{problem}");
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
        assert_eq!(again.algorithm, settings.algorithm);
        assert_eq!(again.factory.settings, settings.factory.settings);
    }
}

//! Settings of a user that override the defaults: a configuration file and single assignments.

use std::path::Path;

use insonate_envs::{EnvError, settings};
use insonate_rl::AlgorithmKind;
use toml::{Table, Value};

use super::StartMode;
use crate::LearningError;
use crate::patients::{HELD_OUT, held_out_stay, hold_out, patient_folders, with_patients};

/// Tables of a configuration file.
const TABLES: [&str; 4] = ["env", "ppo", "sac", "evaluation"];

/// Settings that override the defaults, not yet checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// The task, if the file names it.
    pub task: Option<String>,
    /// The algorithm, if it is named.
    pub algorithm: Option<AlgorithmKind>,
    /// Settings of the task.
    pub env: Table,
    /// Settings of PPO.
    pub ppo: Table,
    /// Settings of SAC.
    pub sac: Table,
    /// Settings that all algorithms have, such as `seed`. They override the algorithm's table.
    pub learning: Table,
    /// Settings of the evaluations during training.
    pub evaluation: Table,
}

impl Overrides {
    /// Reads a configuration file: `task`, `algorithm`, and tables `env`, `ppo` or `sac`, and `evaluation`, each with any of their settings.
    ///
    /// # Errors
    /// If the file cannot be read or is not TOML; [`LearningError::InFile`] for an unknown key.
    pub fn read(path: &Path) -> Result<Self, LearningError> {
        let text = std::fs::read_to_string(path).map_err(LearningError::io("read", path))?;
        let table: Table =
            text.parse()
                .map_err(|error: toml::de::Error| LearningError::Content {
                    path: path.to_owned(),
                    problem: format!("is not TOML: {error}"),
                })?;
        let mut overrides = Self::default();
        for (key, value) in table {
            overrides
                .insert(&key, value)
                .map_err(|source| LearningError::InFile {
                    path: path.to_owned(),
                    source: Box::new(source),
                })?;
        }
        Ok(overrides)
    }

    /// Holds patients out of `env.scene.patients` by the names of their folders.
    ///
    /// # Errors
    /// Those of [`hold_out`]; [`EnvError::Config`] for a training that resumes, without patients.
    pub fn hold_out(&mut self, names: &[String], start: StartMode) -> Result<(), EnvError> {
        let folders = patient_folders(&self.env);
        if start == StartMode::Resume && folders.is_empty() {
            return Err(held_out_stay("hold-out"));
        }
        let [kept, held] = hold_out(&folders, names)?;
        self.env = with_patients(&self.env, &kept);
        let held = held.into_iter().map(Value::String).collect();
        self.evaluation
            .insert(HELD_OUT.to_owned(), Value::Array(held));
        Ok(())
    }

    fn insert(&mut self, key: &str, value: Value) -> Result<(), EnvError> {
        let invalid = |problem: String| EnvError::Config {
            field: key.to_owned(),
            problem,
        };
        match (key, value) {
            ("task", Value::String(task)) => self.task = Some(task),
            ("algorithm", Value::String(name)) => self.algorithm = Some(algorithm(&name)?),
            ("env", Value::Table(table)) => self.env = table,
            ("ppo", Value::Table(table)) => self.ppo = table,
            ("sac", Value::Table(table)) => self.sac = table,
            ("evaluation", Value::Table(table)) => self.evaluation = table,
            ("task", value) => {
                return Err(invalid(format!(
                    "is {value}; it must be the name of a task"
                )));
            }
            ("algorithm", value) => {
                return Err(invalid(format!(
                    "is {value}; it must be \"ppo\" or \"sac\""
                )));
            }
            (key, value) if TABLES.contains(&key) => {
                return Err(invalid(format!("is {value}; it must be a table: [{key}]")));
            }
            _ => {
                let known = ["task", "algorithm", "env", "ppo", "sac", "evaluation"];
                let unknown = EnvError::unknown("table or setting", key, &known);
                return Err(invalid(unknown.to_string()));
            }
        }
        Ok(())
    }

    /// Applies `part.name=value`, where `part` is `env`, `ppo`, `sac` or `evaluation`. A value that is not valid TOML is a string.
    ///
    /// # Errors
    /// [`EnvError::Config`] for an assignment of another form or part.
    pub fn set(&mut self, assignment: &str) -> Result<(), EnvError> {
        let invalid = |problem: String| EnvError::Config {
            field: assignment.to_owned(),
            problem,
        };
        let (name, value) = assignment.split_once('=').ok_or_else(|| {
            invalid("is not an assignment such as ppo.learning_rate=1e-4".to_owned())
        })?;
        let (part, rest) = name.trim().split_once('.').ok_or_else(|| {
            invalid(
                "needs a prefix: env. for the task, ppo. or sac. for learning, or evaluation."
                    .to_owned(),
            )
        })?;
        let table = match part.trim() {
            "env" => &mut self.env,
            "ppo" => &mut self.ppo,
            "sac" => &mut self.sac,
            "evaluation" => &mut self.evaluation,
            other => {
                let unknown = EnvError::unknown("part of the settings", other, &TABLES);
                return Err(invalid(unknown.to_string()));
            }
        };
        settings::set(table, rest, value.trim())
    }

    /// Checks that only settings of the task are given.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn only_env(&self) -> Result<(), EnvError> {
        let parts = [
            ("ppo", &self.ppo),
            ("sac", &self.sac),
            ("evaluation", &self.evaluation),
        ];
        for (part, table) in parts {
            if let Some(key) = table.keys().next() {
                return Err(EnvError::Config {
                    field: format!("{part}.{key}"),
                    problem: "has no effect here: only settings of the task (env.) do".to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// The algorithm with a name.
fn algorithm(name: &str) -> Result<AlgorithmKind, EnvError> {
    let mut all = AlgorithmKind::ALL.into_iter();
    all.find(|kind| kind.name() == name).ok_or_else(|| {
        let known = AlgorithmKind::ALL.map(AlgorithmKind::name);
        EnvError::Config {
            field: "algorithm".to_owned(),
            problem: EnvError::unknown("algorithm", name, &known).to_string(),
        }
    })
}

/// Dotted name and both values of the first setting that differs between two tables.
pub(super) fn first_difference(these: &Table, those: &Table) -> Option<(String, String, String)> {
    let shown = |value: Option<&Value>| value.map_or("missing".to_owned(), Value::to_string);
    let missing = those.keys().filter(|key| !these.contains_key(*key));
    for key in these.keys().chain(missing) {
        match (these.get(key), those.get(key)) {
            (Some(Value::Table(these)), Some(Value::Table(those))) => {
                if let Some((name, this, that)) = first_difference(these, those) {
                    return Some((format!("{key}.{name}"), this, that));
                }
            }
            (this, that) if this != that => return Some((key.clone(), shown(this), shown(that))),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::settings::overlay;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn assignments_override_the_file() {
        let mut overrides = Overrides {
            env: table("[randomization]\nbreathing = false\nforce = [4, 6]"),
            ..Overrides::default()
        };
        overrides.set("env.randomization.breathing=true").unwrap();
        overrides.set("ppo.learning_rate = 1e-4").unwrap();
        overrides.set("env.action.mode=osc_pose").unwrap();
        assert_eq!(
            overrides.env,
            table(
                "[randomization]\nbreathing = true\nforce = [4, 6]\n[action]\nmode = \"osc_pose\""
            )
        );
        assert_eq!(overrides.ppo, table("learning_rate = 1e-4"));
        assert!(
            overrides
                .only_env()
                .unwrap_err()
                .to_string()
                .contains("ppo.learning_rate")
        );
    }

    #[test]
    fn other_forms_and_parts_are_refused() {
        let problem = |text: &str| Overrides::default().set(text).unwrap_err().to_string();
        assert!(problem("ppo.learning_rate").contains("not an assignment"));
        assert!(problem("learning_rate=1").contains("needs a prefix"));
        assert!(problem("pppo.learning_rate=1").contains("did you mean \"ppo\"?"));
    }

    #[test]
    fn overlaying_and_comparing_recurse_into_tables() {
        let mut base = table("a = 1\n[b]\nc = 2\nd = 3");
        let before = base.clone();
        assert_eq!(first_difference(&base, &before), None);
        overlay(&mut base, &table("[b]\nd = 4"));
        assert_eq!(
            first_difference(&base, &before),
            Some(("b.d".into(), "4".into(), "3".into()))
        );
        assert_eq!(
            first_difference(&table(""), &table("x = 1")).unwrap().1,
            "missing"
        );
    }
}

//! A suite: problems, the algorithms that learn them, seeds and episodes.

use std::path::Path;

use insonate_envs::{EnvError, tasks};
use insonate_rl::AlgorithmKind;
use insonate_settings::UnknownName;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::LearningError;
use crate::training::{Overrides, TrainingSettings};

/// Suites by name: name and file.
pub const SUITES: [(&str, &str); 2] = [
    ("quick", include_str!("suites/quick.toml")),
    ("full", include_str!("suites/full.toml")),
];

/// Seed of the first episode, far from those of training.
const FIRST_EPISODE: u64 = 2_000_000;
/// Policies that every problem has unless it says otherwise.
const REFERENCES: [&str; 3] = ["scripted", "random", "zero"];
/// Largest number of seeds, problems, and learners of a problem.
const MAX_PARTS: usize = 1000;

/// Problems with the algorithms that learn them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// What the suite is for, in one line.
    pub summary: String,
    /// Seeds of each training.
    pub seeds: Vec<u64>,
    /// Number of episodes in which each policy is evaluated.
    pub episodes: usize,
    /// Seed of the first episode; the others follow.
    #[serde(default = "first_episode")]
    pub first_episode: u64,
    /// The problems.
    #[serde(rename = "problem")]
    pub problems: Vec<Problem>,
}

/// A task in certain settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// Name; by default the task's.
    #[serde(default)]
    pub name: String,
    /// The task.
    pub task: String,
    /// Number of episodes, if it differs from the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<usize>,
    /// Policies that are evaluated without training: `scripted`, `random`, `zero`, or the path of a policy.
    #[serde(default = "references")]
    pub references: Vec<String>,
    /// Settings of the task, as in a configuration of `insonate train`.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub env: Table,
    /// Algorithms that learn it.
    #[serde(default, rename = "learner", skip_serializing_if = "Vec::is_empty")]
    pub learners: Vec<Learner>,
}

/// An algorithm with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learner {
    /// Name; by default the algorithm's.
    #[serde(default)]
    pub name: String,
    /// `ppo` or `sac`.
    pub algorithm: String,
    /// Number of training steps, summed over all environments.
    pub steps: usize,
    /// Settings of the algorithm.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub settings: Table,
    /// Settings of the evaluations during training.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub evaluation: Table,
}

fn first_episode() -> u64 {
    FIRST_EPISODE
}

fn references() -> Vec<String> {
    REFERENCES.map(str::to_owned).to_vec()
}

impl Suite {
    /// The suite of a name, or of a TOML file.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for a name that is neither; [`LearningError::Content`] and [`LearningError::InFile`] for a wrong file.
    pub fn by_name(name: &str) -> Result<Self, LearningError> {
        let path = Path::new(name);
        if path.is_file() {
            let text = std::fs::read_to_string(path).map_err(LearningError::io("read", path))?;
            return Self::parse(&text, path);
        }
        let known = SUITES.map(|(known, _)| known);
        let Some((_, text)) = SUITES.iter().find(|(known, _)| *known == name) else {
            let mut unknown = UnknownName::new("suite", name, &known);
            unknown.known.push_str(", or a TOML file");
            return Err(EnvError::from(unknown).into());
        };
        Self::parse(text, path)
    }

    /// Reads and checks a suite. `path` is for errors.
    fn parse(text: &str, path: &Path) -> Result<Self, LearningError> {
        let read: Result<Self, toml::de::Error> = toml::from_str(text);
        let mut suite = read.map_err(|error| LearningError::Content {
            path: path.to_owned(),
            problem: format!("is not a suite: {error}"),
        })?;
        for problem in &mut suite.problems {
            if problem.name.is_empty() {
                problem.name.clone_from(&problem.task);
            }
            for learner in &mut problem.learners {
                if learner.name.is_empty() {
                    learner.name.clone_from(&learner.algorithm);
                }
            }
        }
        let checked = suite.check();
        checked.map_err(|source| LearningError::InFile {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        Ok(suite)
    }

    /// Checks names, counts, tasks, and the settings of each training.
    ///
    /// # Errors
    /// [`EnvError::Config`] with the field; [`EnvError::Unknown`] for a task.
    pub fn check(&self) -> Result<(), EnvError> {
        check_episodes("episodes", self.episodes)?;
        count("seeds", self.seeds.len())?;
        distinct("seeds", self.seeds.iter())?;
        count("problem", self.problems.len())?;
        distinct("problem.name", self.problems.iter().map(|own| &own.name))?;
        for problem in &self.problems {
            problem.check()?;
        }
        Ok(())
    }
}

impl Problem {
    fn check(&self) -> Result<(), EnvError> {
        tasks::by_name(&self.task)?;
        check_name(&self.name)?;
        let field = |name: &str| format!("problem {}: {name}", self.name);
        if let Some(episodes) = self.episodes {
            check_episodes(&field("episodes"), episodes)?;
        }
        distinct(&field("references"), self.references.iter())?;
        if self.learners.len() > MAX_PARTS {
            count(&field("learner"), self.learners.len())?;
        }
        distinct(
            &field("learner.name"),
            self.learners.iter().map(|own| &own.name),
        )?;
        for learner in &self.learners {
            check_name(&learner.name)?;
            if self.references.contains(&learner.name) {
                let problem = format!("{} is one of the references too", learner.name);
                return Err(invalid(&field("learner.name"), problem));
            }
            let overrides = learner.overrides(self, 0)?;
            TrainingSettings::resolve(&self.task, &overrides).map_err(|error| {
                let learner = format!("learner {}", learner.name);
                invalid(&field(&learner), error.to_string())
            })?;
        }
        Ok(())
    }
}

impl Learner {
    /// The algorithm.
    ///
    /// # Errors
    /// [`EnvError::Unknown`].
    pub fn kind(&self) -> Result<AlgorithmKind, EnvError> {
        let mut all = AlgorithmKind::ALL.into_iter();
        let found = all.find(|kind| kind.name() == self.algorithm);
        found.ok_or_else(|| {
            let known = AlgorithmKind::ALL.map(AlgorithmKind::name);
            EnvError::unknown("algorithm", &self.algorithm, &known)
        })
    }

    /// Settings of a training with a seed.
    pub(super) fn overrides(&self, problem: &Problem, seed: u64) -> Result<Overrides, EnvError> {
        let given = ["total_timesteps", "seed"].into_iter();
        for (name, instead) in given.zip(["steps", "seeds"]) {
            if self.settings.contains_key(name) {
                let problem =
                    format!("is set by `{instead}` of the suite: remove it from the settings");
                return Err(invalid(name, problem));
            }
        }
        let mut learning = self.settings.clone();
        for (name, value) in [("total_timesteps", self.steps as u64), ("seed", seed)] {
            let value = i64::try_from(value).map_err(|_| {
                let problem = format!("is {value}; it must be at most {}", i64::MAX);
                invalid(name, problem)
            })?;
            learning.insert(name.to_owned(), Value::Integer(value));
        }
        Ok(Overrides {
            algorithm: Some(self.kind()?),
            env: problem.env.clone(),
            learning,
            evaluation: self.evaluation.clone(),
            ..Overrides::default()
        })
    }
}

fn invalid(field: &str, problem: String) -> EnvError {
    EnvError::Config {
        field: field.to_owned(),
        problem,
    }
}

fn check_episodes(field: &str, n: usize) -> Result<(), EnvError> {
    if (2..=1_000_000).contains(&n) {
        return Ok(());
    }
    let problem = format!("is {n}; it must be between 2 and 1000000");
    Err(invalid(field, problem))
}

fn count(field: &str, n: usize) -> Result<(), EnvError> {
    if (1..=MAX_PARTS).contains(&n) {
        return Ok(());
    }
    let problem = format!("has {n} entries; it must have 1 to {MAX_PARTS}");
    Err(invalid(field, problem))
}

/// Names are parts of the names of files.
fn check_name(name: &str) -> Result<(), EnvError> {
    let is_allowed = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-');
    if !name.is_empty() && name.len() <= 60 && name.chars().all(is_allowed) {
        return Ok(());
    }
    let problem = "must have 1 to 60 lower-case letters, digits and hyphens".to_owned();
    Err(invalid(&format!("name {name:?}"), problem))
}

fn distinct<T: PartialEq + std::fmt::Display>(
    field: &str,
    all: impl Iterator<Item = T>,
) -> Result<(), EnvError> {
    let mut earlier = Vec::new();
    for one in all {
        if earlier.contains(&one) {
            return Err(invalid(field, format!("names {one} twice")));
        }
        earlier.push(one);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_suite_is_right() {
        for (name, _) in SUITES {
            Suite::by_name(name).unwrap();
        }
    }

    #[test]
    fn wrong_suites_are_named_with_their_field() {
        let problem = "[[problem]]\ntask = \"reacher\"\n";
        let suite = "summary = \"s\"\nseeds = [1]\nepisodes = 10\n";
        for (text, expected) in [
            (
                format!("{suite}[[problem]]\ntask = \"recher\"\n"),
                "did you mean \"reacher\"",
            ),
            (format!("{suite}{problem}{problem}"), "names reacher twice"),
            (
                format!("{suite}{problem}name = \"../x\"\n"),
                "lower-case letters",
            ),
            (
                format!("{}{problem}", suite.replace("[1]", "[1, 1]")),
                "seeds: names 1 twice",
            ),
            (
                format!("{}{problem}", suite.replace("10", "1")),
                "episodes: is 1; it must be between 2",
            ),
            (
                format!("{suite}{problem}[[problem.learner]]\nalgorithm = \"pp\"\nsteps = 1\n"),
                "did you mean \"ppo\"",
            ),
            (
                format!("{suite}{problem}[[problem.learner]]\nalgorithm = \"ppo\"\nsteps = 0\n"),
                "problem reacher: learner ppo: ppo.total_timesteps",
            ),
            (
                format!(
                    "{suite}{problem}env = {{ profile = 1 }}\n[[problem.learner]]\nalgorithm = \"ppo\"\nsteps = 9\n"
                ),
                "problem reacher: learner ppo: env",
            ),
            (
                format!(
                    "{suite}{problem}references = [\"ppo\"]\n[[problem.learner]]\nalgorithm = \"ppo\"\nsteps = 9\n"
                ),
                "ppo is one of the references too",
            ),
            (
                format!("{}{problem}", suite.replace("[1]", "[]")),
                "seeds: has 0 entries; it must have 1 to 1000",
            ),
            (
                format!("{suite}{problem}color = 1\n"),
                "unknown field `color`",
            ),
        ] {
            let error = Suite::parse(&text, Path::new("my.toml")).unwrap_err();
            let message = error.to_string();
            assert!(
                message.starts_with("my.toml") && message.contains(expected),
                "{message}"
            );
        }
        let message = Suite::by_name("quik").unwrap_err().to_string();
        assert!(message.contains("did you mean \"quick\""), "{message}");
    }
}

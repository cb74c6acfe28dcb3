//! Settings of a benchmark.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use insonate_envs::EnvError;
use insonate_rl::Policy as PolicyFile;
use sha2::{Digest as _, Sha256};

use super::folder;
use super::piece::{Piece, Policy};
use super::suite::{Problem, Suite};
use crate::LearningError;
use crate::evaluation::{NamedPolicy, policy_path};

/// One of several parts of a benchmark, for several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0 on.
    pub index: usize,
    /// Number of parts.
    pub count: usize,
}

impl Default for Shard {
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl Shard {
    /// Whether a piece is in this part. Pieces go to the parts in turn.
    pub(super) const fn has(self, piece: usize) -> bool {
        piece % self.count == self.index
    }
}

/// Largest length of the name of a piece, which names a file.
const LONGEST_NAME: usize = 200;

/// A policy file that competes in all problems of its task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedPolicy {
    /// Name in the table.
    pub name: String,
    /// A policy file, or the folder of a training.
    pub path: String,
}

/// Plan of a benchmark.
#[derive(Clone, Debug)]
pub struct BenchmarkPlan {
    /// Problems, learners, seeds and episodes.
    pub suite: Suite,
    /// Policies that compete in addition to those of the suite.
    pub policies: Vec<AddedPolicy>,
    /// The part of the pieces that this run makes.
    pub shard: Shard,
    /// Folders of other runs whose finished pieces are taken.
    pub others: Vec<PathBuf>,
    /// Number of threads; 0 uses one per core. It does not affect the results.
    pub n_threads: usize,
    /// Whether an earlier benchmark in the folder goes on; otherwise it is refused.
    pub resume: bool,
    /// Commit of the build, for the results; `None` if unknown.
    pub commit: Option<String>,
}

impl BenchmarkPlan {
    /// Checks the suite, its policies, the part and the other folders, and finds the problems of added policies.
    ///
    /// # Errors
    /// [`EnvError::Config`]; an error for a policy that cannot be read, or whose task the suite lacks.
    pub fn check(&self) -> Result<(), LearningError> {
        self.suite.check()?;
        for problem in &self.suite.problems {
            NamedPolicy::load_all(&problem.references, Some(&problem.task), &problem.env).map_err(
                |error| {
                    let field = format!("problem {}: references", problem.name);
                    config(&field, error.to_string())
                },
            )?;
        }
        let Shard { index, count } = self.shard;
        if count == 0 || index >= count {
            let problem = format!("is {}/{count}; it must be K/N with 1 ≤ K ≤ N", index + 1);
            return Err(config("shard", problem));
        }
        for added in &self.policies {
            if added.name.is_empty() || !added.name.chars().all(is_part_of_name) {
                let problem = format!(
                    "is {:?}; it must have lower-case letters, digits and hyphens",
                    added.name
                );
                return Err(config("policy", problem));
            }
            let task = PolicyFile::load(&policy_path(&added.path)?)?.identity.task;
            let problems: Vec<&Problem> = self.problems_of(&task).collect();
            if problems.is_empty() {
                let problem = format!("{} is for {task}, which the suite lacks", added.path);
                return Err(config("policy", problem));
            }
            for problem in problems {
                let learners = problem.learners.iter().map(|own| own.name.as_str());
                let mut names = problem
                    .references
                    .iter()
                    .map(String::as_str)
                    .chain(learners);
                if names.any(|name| name == added.name) {
                    let problem = format!(
                        "{} is a policy of {} already: choose another name",
                        added.name, problem.name
                    );
                    return Err(config("policy", problem));
                }
            }
        }
        let mut names = HashSet::new();
        for piece in self.pieces()? {
            let name = piece.name();
            if name.len() > LONGEST_NAME {
                let problem = format!(
                    "{name:?} has {} letters; it must have at most {LONGEST_NAME}",
                    name.len()
                );
                return Err(config("policy", problem));
            }
            if !names.insert(name.clone()) {
                let problem = format!("two policies are {name}: give one another name");
                return Err(config("policy", problem));
            }
        }
        folder::check_others(self)
    }

    fn problems_of<'a>(&'a self, task: &'a str) -> impl Iterator<Item = &'a Problem> {
        let all = self.suite.problems.iter();
        all.filter(move |problem| problem.task == task)
    }

    /// All pieces: first policies that need no training, then the trainings of each seed.
    ///
    /// # Errors
    /// An error for a policy file that cannot be read.
    pub fn pieces(&self) -> Result<Vec<Piece>, LearningError> {
        let mut pieces = Vec::new();
        for problem in &self.suite.problems {
            for name in &problem.references {
                let policy = ready(name, name)?;
                pieces.push(Piece::new(&self.suite, problem, policy));
            }
        }
        for added in &self.policies {
            let task = PolicyFile::load(&policy_path(&added.path)?)?.identity.task;
            for problem in self.problems_of(&task) {
                let policy = ready(&added.name, &added.path)?;
                pieces.push(Piece::new(&self.suite, problem, policy));
            }
        }
        for &seed in &self.suite.seeds {
            for problem in &self.suite.problems {
                for learner in &problem.learners {
                    let policy = Policy::Learned {
                        learner: learner.clone(),
                        seed,
                    };
                    pieces.push(Piece::new(&self.suite, problem, policy));
                }
            }
        }
        Ok(pieces)
    }
}

/// A policy without training. A result counts only as long as the policy's file is the same.
fn ready(name: &str, path: &str) -> Result<Policy, LearningError> {
    let sha256 = if Path::new(path).exists() {
        let file = policy_path(path)?;
        let bytes = std::fs::read(&file).map_err(LearningError::io("read", &file))?;
        let digest = Sha256::digest(&bytes);
        let digits = digest.iter().map(|byte| format!("{byte:02x}"));
        Some(digits.collect::<Vec<_>>().concat())
    } else {
        None
    };
    Ok(Policy::Ready {
        name: name.to_owned(),
        path: path.to_owned(),
        sha256,
    })
}

const fn is_part_of_name(letter: char) -> bool {
    matches!(letter, 'a'..='z' | '0'..='9' | '-')
}

fn config(field: &str, problem: String) -> LearningError {
    EnvError::Config {
        field: field.to_owned(),
        problem,
    }
    .into()
}

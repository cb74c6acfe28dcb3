//! Options, subject and report of the checks.

use std::fmt;

use crate::{Env, EnvError, EnvSpec};

/// Extent of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOptions {
    /// Seed of all episodes and actions.
    pub seed: u64,
    /// Steps of the episodes that are compared.
    pub n_steps: usize,
    /// Whole episodes with each kind of actions: random, at the bounds, neutral.
    pub n_episodes: usize,
    /// Steps after which a whole episode is stopped.
    pub max_steps: usize,
    /// Whether episodes of different seeds must differ.
    pub is_random: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            seed: 123,
            n_steps: 20,
            n_episodes: 1,
            max_steps: 2000,
            is_random: true,
        }
    }
}

/// A breach of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What was checked, such as `rollout`.
    pub check: &'static str,
    /// Location, such as `step 3`.
    pub place: String,
    /// Description of the problem, with the value.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.check, self.place, self.problem)
    }
}

/// Creates an environment to check.
pub type Make<'a> = &'a dyn Fn() -> Result<Box<dyn Env>, EnvError>;

/// The environment under test.
pub(super) struct CheckedEnv<'a> {
    pub(super) make: Make<'a>,
    pub(super) options: &'a CheckOptions,
    pub(super) spec: EnvSpec,
}

impl CheckedEnv<'_> {
    pub(super) fn new_env(&self) -> Result<Box<dyn Env>, EnvError> {
        (self.make)()
    }

    /// An observation buffer filled with values that do not look written.
    pub(super) fn blank(&self) -> Vec<f32> {
        vec![f32::NAN; self.spec.observation_space.len()]
    }
}

/// The problems found.
#[derive(Default)]
pub(super) struct Report {
    check: &'static str,
    pub(super) problems: Vec<Problem>,
    /// Number of problems found by earlier checks.
    n_before: usize,
}

impl Report {
    /// Starts the next check.
    pub(super) fn begin(&mut self, check: &'static str) {
        self.check = check;
        self.n_before = self.problems.len();
    }

    /// Whether the current check has found no problem yet.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.len() == self.n_before
    }

    pub(super) fn add(&mut self, place: impl Into<String>, problem: impl fmt::Display) {
        self.problems.push(Problem {
            check: self.check,
            place: place.into(),
            problem: problem.to_string(),
        });
    }
}

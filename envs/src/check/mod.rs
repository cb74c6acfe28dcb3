//! Checks that an environment keeps the contract of [`Env`].
//!
//! As strict as the checks of Gymnasium and of Stable-Baselines3, and stricter where our contract is:
//! episodes must be pure functions of seed, options and actions, and a refused action must change nothing.
//!
//! | file | what it checks |
//! |---|---|
//! | `spec` | names, bounds and lengths; the same for every instance and for life |
//! | `rollout` | whole episodes: observations, rewards, terms, ends, figures, time |
//! | `order` | steps before the first reset and after the end |
//! | `actions` | refused actions, with the right error and without a trace |
//! | `purity` | the same bits again, after other episodes, beside other instances |
//! | `options` | fixed parameters, unknown ones |
//! | `scripted` | the scripted policy: inside the bounds, without a trace |

mod actions;
mod options;
mod order;
mod purity;
mod rollout;
mod scripted;
mod spec;
mod trace;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Env, EnvError, EnvSpec};

/// How much to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOptions {
    /// Seed of all episodes and actions.
    pub seed: u64,
    /// Steps of the episodes that are run to be compared.
    pub n_steps: usize,
    /// Whole episodes of each way to act: random, at the bounds, neutral.
    pub n_episodes: usize,
    /// Steps after which a whole episode is given up.
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
    /// Where it showed, such as `step 3`.
    pub place: String,
    /// What is wrong, with the value.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.check, self.place, self.problem)
    }
}

/// Makes an environment to check.
pub type Make<'a> = &'a dyn Fn() -> Result<Box<dyn Env>, EnvError>;

/// All breaches of the contract that were found, the first of each kind; none: the environment keeps it.
///
/// An environment that panics or fails where it must not is a problem too; what it prints when it panics is not held back.
pub fn check_env(make: Make<'_>, options: &CheckOptions) -> Vec<Problem> {
    let spec = match make() {
        Ok(env) => env.spec().clone(),
        Err(error) => {
            return vec![Problem {
                check: "make",
                place: "make".to_owned(),
                problem: error.to_string(),
            }];
        }
    };
    let mut report = Report {
        check: "spec",
        problems: Vec::new(),
        n_before: 0,
    };
    spec::check(&spec, &mut report);
    if !report.is_clean() {
        // The other checks trust the lengths.
        return report.problems;
    }
    let subject = Subject {
        make,
        options,
        spec,
    };
    for (name, check) in CHECKS {
        report.begin(name);
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&subject, &mut report)));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => report.add("a call that must work", error),
            Err(_) => report.add("a call", "panicked"),
        }
    }
    report.problems
}

type Check = fn(&Subject<'_>, &mut Report) -> Result<(), EnvError>;

const CHECKS: [(&str, Check); 7] = [
    ("spec", spec::check_life),
    ("order", order::check),
    ("rollout", rollout::check),
    ("actions", actions::check),
    ("purity", purity::check),
    ("options", options::check),
    ("scripted", scripted::check),
];

/// What is checked.
struct Subject<'a> {
    make: Make<'a>,
    options: &'a CheckOptions,
    spec: EnvSpec,
}

impl Subject<'_> {
    fn new_env(&self) -> Result<Box<dyn Env>, EnvError> {
        (self.make)()
    }

    /// Room for an observation, in which nothing looks as if it had been written.
    fn blank(&self) -> Vec<f32> {
        vec![f32::NAN; self.spec.observation_space.len()]
    }
}

/// What was found.
struct Report {
    check: &'static str,
    problems: Vec<Problem>,
    /// Problems that earlier checks found.
    n_before: usize,
}

impl Report {
    /// Turns to the next check.
    fn begin(&mut self, check: &'static str) {
        self.check = check;
        self.n_before = self.problems.len();
    }

    /// Whether the present check has found nothing yet.
    fn is_clean(&self) -> bool {
        self.problems.len() == self.n_before
    }

    fn add(&mut self, place: impl Into<String>, problem: impl fmt::Display) {
        self.problems.push(Problem {
            check: self.check,
            place: place.into(),
            problem: problem.to_string(),
        });
    }
}

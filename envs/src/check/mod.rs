//! Checks that an environment follows the contract of [`Env`](crate::Env).
//!
//! The checks are as strict as those of Gymnasium and Stable-Baselines3, and stricter in two points: episodes must be pure
//! functions of seed, options and actions, and a rejected action must change nothing.
//!
//! | file | what it checks |
//! |---|---|
//! | `spec` | names, bounds and lengths; constant, and the same for every instance |
//! | `rollout` | whole episodes: observations, rewards, terms, ends, metrics, time |
//! | `order` | steps before the first reset and after the end |
//! | `actions` | invalid actions: the right error, no effect |
//! | `purity` | bit-identical repetition, after other episodes and next to other instances |
//! | `options` | fixed parameters, unknown parameters |
//! | `scripted` | the scripted policy: within the bounds, no effect on the episode |

mod actions;
mod options;
mod order;
mod purity;
mod report;
mod rollout;
mod scripted;
mod spec;
mod trace;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use report::{CheckOptions, Make, Problem};

use crate::EnvError;
use report::{CheckedEnv, Report};

/// Returns all breaches of the contract, the first of each kind. Empty if the environment follows the contract.
///
/// A panic or an unexpected error of the environment is a problem too. The output of a panic is not suppressed.
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
    let mut report = Report::default();
    report.begin("spec");
    spec::check(&spec, &mut report);
    if !report.is_clean() {
        // The other checks rely on the lengths.
        return report.problems;
    }
    let subject = CheckedEnv {
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

type Check = fn(&CheckedEnv<'_>, &mut Report) -> Result<(), EnvError>;

const CHECKS: [(&str, Check); 7] = [
    ("spec", spec::check_life),
    ("order", order::check),
    ("rollout", rollout::check),
    ("actions", actions::check),
    ("purity", purity::check),
    ("options", options::check),
    ("scripted", scripted::check),
];

//! Checks that an environment keeps the contract of [`Env`](crate::Env).
//!
//! As strict as the checks of Gymnasium and of Stable-Baselines3, and stricter where our contract is:
//! episodes must be pure functions of seed, options and actions, and a refused action must change nothing.
//!
//! | file | what it checks |
//! |---|---|
//! | `spec` | names, bounds and lengths; the same for every instance, always |
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
mod report;
mod rollout;
mod scripted;
mod spec;
mod trace;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use report::{CheckOptions, Make, Problem};

use crate::EnvError;
use report::{Report, Subject};

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
    let mut report = Report::default();
    report.begin("spec");
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
